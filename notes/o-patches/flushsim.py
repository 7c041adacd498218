import random,sys
K=int(sys.argv[1]); SEEDS=int(sys.argv[2]); MUT=sys.argv[3] if len(sys.argv)>3 else ''
NFMAX=int(sys.argv[4]) if len(sys.argv)>4 else 4
ALL=(1<<K)-1
class F:pass
def run(seed):
    R=random.Random(seed)
    NC=2
    put=[[0]*K for _ in range(NC)]; done=[[0]*K for _ in range(NC)]
    q=F(); q.color=0; q.await_=0; q.step=0; q.now=[]; q.later=[]
    items=[]; flushes=[]
    clock=[0]
    def awaitr():
        c=ALL if q.later else 0
        for f in q.now: c|=f.colors
        q.await_=c; q.step+=1
    def nxt(d):
        if q.later:
            if not d>>q.color&1: q.color=(d&-d).bit_length()-1
            for f in q.later: f.colors=ALL
            q.now+=q.later; q.later=[]
        for f in list(q.now):
            f.colors&=~d
            if not f.colors:
                q.now.remove(f); f.ret=clock[0]
                # property A
                for it in items:
                    if it.putret is not None and it.putret<f.call and it.end is None:
                        raise Exception("early seed %d"%seed)
        awaitr()
    def go_on():
        while True:
            step=q.step; aw=q.await_
            yield
            D=[0]*K
            for c in range(NC):
                for k in range(K): D[k]+=done[c][k]
                yield
            P=[0]*K
            for c in range(NC):
                for k in range(K): P[k]+=put[c][k]
                yield
            d=0
            for k in range(K):
                if aw>>k&1 and D[k]==P[k]: d|=1<<k
            if not d: return
            if q.step==step: nxt(d)
            yield
    def putter(it):
        col=q.color; it.color=col; it.begin=clock[0]
        n=R.choice([0,0,0,1,5,20])
        for _ in range(n): yield
        it.color=col if MUT!='x' else q.color
        put[it.cpu][it.color]+=1
        it.putret=None
        yield
        it.putret=clock[0]
        it.ready=True
    def runner(it):
        while not it.ready and it.putret is None: yield
        n=it.len
        while it.forever and not it.release: yield
        for _ in range(n): yield
        it.end=clock[0]
        done[it.rcpu][it.color]+=1
        yield
        if q.await_>>it.color&1: yield from go_on()
    def flusher(f):
        f.call=clock[0]; f.flip=1<<60
        q.later.append(f); awaitr()
        yield
        yield from go_on()
        f.flip=clock[0]
        while f.ret is None: yield
    th=[]
    nf=R.randint(1,NFMAX); nit=R.randint(2,16)
    acts=['f']*nf+['i']*nit; R.shuffle(acts)
    gate=0
    def mk(a):
        if a=='f':
            f=F(); f.ret=None; f.colors=0; f.call=None; flushes.append(f); return [flusher(f)]
        it=F(); it.cpu=R.randrange(NC); it.rcpu=R.randrange(NC); it.len=R.choice([0,3,30]); it.forever=R.random()<.4; it.release=False
        it.end=None; it.putret=None; it.begin=None; it.ready=False; items.append(it)
        return [putter(it),runner(it)]
    starts=[(R.randint(0,80),a) for a in acts]
    starts.sort()
    live=[]
    def pump(limit):
        idle=0
        for _ in range(limit):
            clock[0]+=1
            while starts and starts[0][0]<=clock[0]: live.extend(mk(starts.pop(0)[1]))
            if live:
                t=R.choice(live)
                try: next(t)
                except StopIteration: live.remove(t)
    pump(6000)
    # quiescent: property C
    late=0
    for f in flushes:
        if f.ret is None:
            olds=[it for it in items if it.end is None and (it.putret is None or True) and it.putret is not None and it.putret<f.call]
            # items whose put was under way or before
            if not [it for it in items if it.end is None and it.begin is not None and it.begin<=f.flip]:
                conc=[it for it in items if it.end is None]
                late+=1
    for it in items: it.release=True
    pump(6000)
    for f in flushes:
        if f.ret is None: raise Exception("hang seed %d"%seed)
    return late
tot=0; bad=[]
for s in range(SEEDS):
    l=run(s)
    if l: tot+=1; bad.append(s)
print("K",K,"seeds",SEEDS,"rounds where a flush waits for a later item:",tot,bad[:10])
