"""measure.py PROGRAM [LOG] - Runs a program and says what it found, and seconds to import and to answer, as JSON.

Imports are the lines up to the first that is none; the rest is the answer. Each is measured on the clock and in processor time.
Without a log, only imports are.
"""

import json
import pathlib
import sys
import time

program = pathlib.Path(sys.argv.pop(1))
lines = program.read_text().split("\n")
end = next(k for k, line in enumerate(lines) if line and not line.startswith(("import ", "from ", "#")))
space = {"__name__": "__main__"}
sys.path.insert(0, str(program.parent))


def timed(text):
    clock, work = time.perf_counter(), time.process_time()
    exec(compile(text, str(program), "exec"), space)
    return {"clock": time.perf_counter() - clock, "processor": time.process_time() - work}


said = {"import": timed("\n".join(lines[:end]))}
if len(sys.argv) < 2:
    print(json.dumps(said))
    sys.exit()
said["answer"] = timed("\n".join(lines[end:]))
said["lines"] = sum(1 for line in lines if line.strip() and not line.strip().startswith("#"))
said["found"] = {name: [float(one) for one in values] for name, values in space["found"].items()}
data = space["data"]
said["truth"], said["before"] = float(data["truth"]), float(data["before"])
print(json.dumps(said))
