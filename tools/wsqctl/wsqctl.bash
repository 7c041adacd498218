# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Bash completion of wsqctl's commands, options, values and files. Needs nothing
# else; bash-completion finds it by its installed name.

_wsqctl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev='' command='' i value options

	COMPREPLY=()
	[ "$COMP_CWORD" -lt 1 ] || prev=${COMP_WORDS[COMP_CWORD - 1]}
	# --name=value comes as three words.
	if [ "$cur" = = ]; then
		cur=
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-*) ;;
		*) command=${COMP_WORDS[i]} && break ;;
		esac
	done

	case $command in
	'')
		mapfile -t COMPREPLY < <(compgen -W 'bench info stat sum top --help --usage --version' -- "$cur")
		return
		;;
	bench) options='--batch --json --len --mode --ops --rounds --stall --time' ;;
	info | stat) options='--json' ;;
	top) options='--batch --delay --iterations --json --sort' ;;
	sum) options='--arena --depth --files-from --json --null --pin --poll --producers --progress --quiet --recursive --sort --stall --table --zero' ;;
	*) return ;;
	esac
	options+=' --help --usage --version'

	value=
	case $command:$prev in
	bench:-m | bench:--mode) value='plain poll both' ;;
	bench:-o | bench:--ops) value='nop copy crc32c sha256 fill compare xor xxhash64 sha512 fsverity sort64 gzip' ;;
	bench:-b | bench:--batch) value='1 8 64 512 1,8,64,512' ;;
	bench:--len) value='64 4096 65536' ;;
	top:-s | top:--sort) value='busy cpu' ;;
	sum:--depth) value='1 2 4 8 16 32 64 128 256 512 1024 2048 4096' ;;
	sum:--arena) value='1M 4M 16M 64M' ;;
	sum:-f | sum:--files-from)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames 2>/dev/null
		return
		;;
	top:-d | top:--delay | top:-n | top:--iterations | sum:-p | sum:--producers | sum:--stall | \
		bench:-r | bench:--rounds | bench:-t | bench:--time | bench:--stall)
		return
		;;
	esac
	if [ "$value" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$value" -- "$cur")
	elif [[ $cur = -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
	elif [ "$command" = sum ]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames 2>/dev/null
	fi
}

complete -F _wsqctl wsqctl
