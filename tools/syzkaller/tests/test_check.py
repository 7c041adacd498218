# SPDX-License-Identifier: GPL-2.0
"""Are differences between description and header noticed?"""
import tempfile
import unittest
from pathlib import Path

from check import DESCRIPTION, HEADER, Description, Wrong, problems


class Check(unittest.TestCase):
    def setUp(self):
        self.text = DESCRIPTION.read_text()

    def found(self, text, header=HEADER):
        return list(problems(text, header))

    def changed(self, old, new, says):
        self.assertIn(old, self.text)
        found = self.found(self.text.replace(old, new, 1))
        self.assertTrue(any(says in line for line in found), found)

    def header(self, old, new, says):
        text = HEADER.read_text()
        self.assertIn(old, text)
        with tempfile.TemporaryDirectory() as where:
            path = Path(where) / "wsq.h"
            path.write_text(text.replace(old, new, 1))
            found = self.found(self.text, path)
        self.assertTrue(any(says in line for line in found), found)

    def test_is_right(self):
        self.assertEqual(self.found(self.text), [])

    def test_field_size(self):
        self.changed("\tmin_complete\tint32[0:9]", "\tmin_complete\tint64[0:9]",
                     "wsq_enter.min_complete is at 16, in C at 12")

    def test_field_order(self):
        self.changed("\tcancelled\tconst[0, int32]\n\trunning\t\tconst[0, int32]",
                     "\trunning\t\tconst[0, int32]\n\tcancelled\tconst[0, int32]",
                     "wsq_cancel has")

    def test_field_missing(self):
        self.changed("\tfences\t\tint64\n", "", "wsq_cpu_stats has")

    def test_last_field(self):
        self.changed("\tmemory\t\tconst[0, int64]\n}", "\tmemory\t\tarray[const[0, int64], 2]\n}",
                     "wsq_ring_stats has 64 bytes, in C 56")

    def test_template(self):
        self.changed("\tDST\n\targ", "\tDST\n\tmore int64\n\targ", "wsq_sqe_nop has")

    def test_template_argument(self):
        self.changed("[WSQ_OP_XXHASH64, wsq_off, wsq_len, wsq_off, int64]",
                     "[WSQ_OP_XXHASH64, wsq_off, wsq_len, wsq_off, array[int64, 2]]",
                     "wsq_sqe_xxhash64.key is at 56, in C at 48")
        self.changed("[WSQ_OP_NOP, wsq_none, wsq_none, wsq_none, wsq_none]",
                     "[WSQ_OP_NOP, wsq_none]", "takes 5 arguments")

    def test_constant_unknown(self):
        self.changed("WSQ_SQE_LINK, ", "WSQ_SQE_LINKED, ", "no WSQ_SQE_LINKED")

    def test_flag_missing(self):
        self.changed("WSQ_SETUP_KEYS, ", "", "wsq_setup_flags lacks WSQ_SETUP_KEYS")

    def test_op_missing(self):
        self.changed(", WSQ_OP_SHA512, ", ", ", "wsq_ops lacks WSQ_OP_SHA512")

    def test_command_missing(self):
        self.changed("ioctl$WSQ_IOC_ENABLE(fd fd_wsq, cmd const[WSQ_IOC_ENABLE], arg const[0])\n",
                     "", "no call for WSQ_IOC_ENABLE")

    def test_command_wrong(self):
        self.changed("ioctl$WSQ_IOC_STATS(fd fd_wsq, cmd const[WSQ_IOC_STATS]",
                     "ioctl$WSQ_IOC_STATS(fd fd_wsq, cmd const[WSQ_IOC_QUERY]",
                     "its command is WSQ_IOC_QUERY")

    def test_mapping_missing(self):
        self.changed("const[WSQ_OFF_SQES]", "const[0]", "nothing passes WSQ_OFF_SQES")

    def test_device(self):
        self.changed('"/dev/wsq"', '"/dev/swq"', "nothing opens the device")

    def test_type_unknown(self):
        self.changed("len\twsq_len", "len\twsq_length", "no type wsq_length")

    def test_type_unused(self):
        self.changed("\tlist\t\twsq_sqe_list\n", "", "nothing uses wsq_sqe_list")

    def test_resource_unknown(self):
        self.changed("offset const[WSQ_OFF_SQES]) wsq_map_sqes", "offset const[WSQ_OFF_SQES]) wsq_map",
                     "makes no resource wsq_map")

    def test_struct_missing(self):
        found = self.found(self.text.replace("wsq_vec", "vec"))
        self.assertTrue(any("struct wsq_vec is not described" in l for l in found), found)

    def test_syntax(self):
        with self.assertRaises(Wrong):
            Description("wsq_x {\n\ta int32\n")
        with self.assertRaises(Wrong):
            Description("what is this")

    def test_header_grows(self):
        self.header("\t__u32 completed;\n};", "\t__u32 completed;\n\t__u64 more;\n};",
                    "wsq_enter has")
        self.header("#define WSQ_SQE_VEC\t\t(1U << 6)", "#define WSQ_SQE_VEC\t\t(1U << 6)\n"
                    "#define WSQ_SQE_MORE\t\t(1U << 7)", "wsq_sqe_flags lacks WSQ_SQE_MORE")
        self.header("#define WSQ_IOC_RING_STATS", "#define WSQ_IOC_MORE _IO(WSQ_IOC_MAGIC, 8)\n"
                    "#define WSQ_IOC_RING_STATS", "no call for WSQ_IOC_MORE")
        self.header("#define WSQ_IOC_MAGIC", "struct wsq_more {\n\t__u64 a;\n};\n"
                    "#define WSQ_IOC_MAGIC", "struct wsq_more is not described")


if __name__ == "__main__":
    unittest.main()
