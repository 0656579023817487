"""MBR by the package mbrs, in an environment that has it but not graphmt.

Reads a JSON object ``{"candidates": [[text, …], …], "log_probabilities": [[number, …], …], "metric": name}`` from
standard input and prints the chosen positions and the CPU seconds of the decisions, without imports.
"""

import json
import sys
import time

import torch
from mbrs.decoders import DecoderMBR
from mbrs.metrics import MetricBLEU, MetricChrF


def main() -> None:
    given = json.load(sys.stdin)
    metric = (
        MetricBLEU(MetricBLEU.Config(tokenize="none", num_workers=1))
        if given["metric"] == "bleu"
        else MetricChrF(MetricChrF.Config(fastchrf=True, num_workers=1))
    )
    decoder = DecoderMBR(DecoderMBR.Config(), metric)
    begun = cpu()
    chosen = []
    for number, texts in enumerate(given["candidates"]):
        weights = torch.tensor(given["log_probabilities"][number])
        chosen.append(decoder.decode(texts, texts, nbest=1, reference_lprobs=weights).idx[0])
    print(json.dumps({"chosen": chosen, "cpu": cpu() - begun}))


def cpu() -> float:
    """CPU seconds of this process and those it started."""
    times = time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID)
    try:
        import resource
    except ImportError:
        return times
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main()
