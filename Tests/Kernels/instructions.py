#!/usr/bin/env python3
"""Counts the instructions of the innermost loops of compiled kernels and prints them as a table in Markdown.

    instructions.py OBJDUMP PROGRAM               the table
    instructions.py OBJDUMP PROGRAM --check FILE  fails unless the table is in this file
"""
import re
import subprocess
import sys

# Function, what it multiplies, its multiplying instruction, and the products of one of these. SMULL includes SMULL2.
KERNELS = [
    ("panel_f32_baseline", "float32, many rows", "fmla", 4),
    ("panel_bf16_i8mm", "bfloat16, many rows", "bfmmla", 16),
    ("panel_i8_dotprod", "int8, many rows", "sdot", 16),
    ("panel_i8_i8mm", "int8, many rows", "smmla", 32),
    ("ck_few_rows", "float32, few rows", "fmla", 4),
    ("ck_few_rows_half", "float16 weights, few rows", "fmla", 4),
    ("ck_multiply_int8", "int8, few rows", "smull", 8),
    ("int8_rows_dotprod", "int8, few rows", "sdot", 16),
    ("int8_rows_i8mm", "int8, few rows", "usdot", 16),
]


def functions(objdump, program):
    """The instructions of each function: address, name and operands."""
    listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True)
    found, code = {}, []
    for line in listing.stdout.splitlines():
        if start := re.match(r"[0-9a-f]+ <(.*)>:", line):
            code = found.setdefault(start[1], [])
        elif instruction := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line):
            code.append((int(instruction[1], 16), instruction[2], instruction[3]))
    return found


def loops(code):
    """The names of the instructions of each loop that contains no other."""
    index = {address: i for i, (address, _, _) in enumerate(code)}
    spans = []
    for i, (address, name, operands) in enumerate(code):
        target = re.search(r"0x([0-9a-f]+)", operands)
        if re.match(r"b\.|cbn?z|tbn?z", name) and target and index.get(int(target[1], 16), i + 1) <= i:
            spans.append((index[int(target[1], 16)], i))
    inner = [s for s in spans if not any(o != s and s[0] <= o[0] and o[1] <= s[1] for o in spans)]
    return [[name for _, name, _ in code[first : last + 1]] for first, last in inner]


def table(objdump, program):
    rows = ["| product | instruction | instructions | of these, products | at least | products per instruction |"]
    rows.append("| --- | --- | --- | --- | --- | --- |")
    code = functions(objdump, program)
    for function, title, name, products in KERNELS:
        # The loop for the most rows; of several, the shortest.
        count, length = max((loop.count(name) + loop.count(name + "2"), -len(loop)) for loop in loops(code[function]))
        rows.append(
            f"| {title} | {name.upper()} | {-length} | {count * products} | {count} | {count * products / -length:.1f} |"
        )
    return "\n".join(rows) + "\n"


def main():
    found = table(*sys.argv[1:3])
    if "--check" not in sys.argv:
        print(found, end="")
    elif found not in open(sys.argv[4], encoding="utf-8").read():
        sys.exit(f"{sys.argv[4]} has not these figures:\n{found}")


main()
