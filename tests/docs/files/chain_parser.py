"""A program that parses: it attaches every word to the one before it. Real parsers do better."""

import sys

sys.stdin.reconfigure(encoding="utf-8")
sys.stdout.reconfigure(encoding="utf-8")
for line in sys.stdin:
    for number, word in enumerate(line.split()):
        label = "dep" if number else "root"
        print(number + 1, word, "_", "X", "_", "_", number, label, "_", "_", sep="\t")
    print()
