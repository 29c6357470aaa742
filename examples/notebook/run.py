"""Runs the cells of a notebook in order, without Jupyter, and compares what they give with what is stored:

    python3 run.py NOTEBOOK.ipynb           says what differs, and exits 1 if anything does
    python3 run.py --write NOTEBOOK.ipynb   stores what they give

The last expression of a cell is its result, as in Jupyter; one with the method _repr_png_ is a picture. Times are not
compared, and of pictures only that there is one.
"""

import ast
import base64
import contextlib
import io
import json
import re
import sys

TIMES = re.compile(r"\d+(\.\d+)?( million)? (s\b|gate steps/s)|peak memory \d+ MB")


def run(source, names):
    """Returns the outputs of a cell, as a notebook stores them."""
    body = ast.parse(source).body
    last = ast.Expression(body.pop().value) if body and isinstance(body[-1], ast.Expr) else None
    result, printed = None, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        if last is not None:
            result = eval(compile(last, "cell", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if result is not None:
        data = {"text/plain": lines(repr(result))}
        if hasattr(result, "_repr_png_"):
            data["image/png"] = base64.b64encode(result._repr_png_()).decode()
        outputs.append({"data": data, "metadata": {}, "output_type": "display_data"})
    return outputs


def lines(text):
    return text.splitlines(keepends=True)


def comparable(outputs):
    """Returns what is compared of the outputs of a cell."""
    kept = []
    for output in outputs:
        text = "".join(output.get("text") or output["data"]["text/plain"])
        kept.append((output["output_type"], TIMES.sub("TIME", text), sorted(output.get("data", {}))))
    return kept


def main(arguments):
    write = arguments[:1] == ["--write"]
    if len(arguments) != 1 + write:
        sys.exit(__doc__)
    with open(arguments[-1], encoding="utf-8") as file:
        notebook = json.load(file)
    names, different = {"__name__": "__main__"}, 0
    for number, cell in enumerate((c for c in notebook["cells"] if c["cell_type"] == "code"), 1):
        got = run("".join(cell["source"]), names)
        if write:
            cell["outputs"], cell["execution_count"] = got, number
        elif comparable(got) != comparable(cell["outputs"]):
            different += 1
            print(f"cell {number} is stored with\n{comparable(cell['outputs'])}\nand gives\n{comparable(got)}")
    if write:
        with open(arguments[-1], "w", encoding="utf-8") as file:
            json.dump(notebook, file, indent=1, ensure_ascii=False)
            file.write("\n")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
