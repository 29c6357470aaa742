"""The back end that pip calls (PEP 517, PEP 660): a wheel of the folder ialgn, made with Python's own modules."""

import base64
import hashlib
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def _project():
    """Return the texts of pyproject.toml's table project, whose lines are simple."""
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        table = file.read().split("[project]")[1]
    project = dict(re.findall(r'^([\w-]+) = "(.*)"$', table, re.M))
    project["dependencies"] = re.findall(r'"(.*?)"', re.search(r"^dependencies = \[(.*)\]$", table, re.M).group(1))
    return project


def _metadata():
    p = _project()
    with open(os.path.join(HERE, p["readme"]), encoding="utf-8") as file:
        readme = file.read()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {p['name']}",
        f"Version: {p['version']}",
        f"Summary: {p['description']}",
        f"Requires-Python: {p['requires-python']}",
        *[f"Requires-Dist: {d}" for d in p["dependencies"]],
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + readme


def _stem():
    p = _project()
    return f"{p['name']}-{p['version']}"


def _sources():
    """Return the package's files, relative to this one."""
    found = []
    for folder, _, files in os.walk(os.path.join(HERE, "ialgn")):
        found += [os.path.relpath(os.path.join(folder, f), HERE) for f in files if f.endswith(".py")]
    return sorted(found)


def _wheel(directory, files):
    """Write a wheel of files, bytes by name, and return its name."""
    info = f"{_stem()}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    name = f"{_stem()}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Make a wheel."""
    files = {}
    for path in _sources():
        with open(os.path.join(HERE, path), "rb") as file:
            files[path.replace(os.sep, "/")] = file.read()
    return _wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Make a wheel that points to this folder, for pip install -e."""
    return _wheel(wheel_directory, {"ialgn.pth": (HERE + "\n").encode()})


def build_sdist(sdist_directory, config_settings=None):
    """Make a source archive."""
    name = f"{_stem()}.tar.gz"
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as archive:
        for path in ["README.md", "build_wheel.py", "pyproject.toml", *_sources()]:
            archive.add(os.path.join(HERE, path), f"{_stem()}/{path}")
    return name
