"""The table in docs/architecture.md, enforced on what the modules import."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "gambol"
FREE = 7.0  # from this layer on, other libraries may be imported at module level


def layers() -> dict[str, float]:
    """Module (or package) name -> layer, from the table in docs/architecture.md."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([0-9.]+) \| ([^|]+) \|", text, re.MULTILINE)
    return {n.strip().replace("\\", ""): float(layer) for layer, names in rows for n in names.split(",")}


def modules() -> dict[str, Path]:
    """Dotted name below gambol -> file; gambol/__init__.py itself is left out."""
    files = [f for f in SOURCE.rglob("*.py") if f != SOURCE / "__init__.py"]
    return {".".join(f.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): f for f in files}


def type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def imports(node: ast.AST, package: str, inside: bool = False):
    """(dotted module, is inside a function) of every import that runs."""
    for child in ast.iter_child_nodes(node):
        if type_checking(child):
            continue
        if isinstance(child, ast.Import):
            yield from ((alias.name, inside) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            base = child.module or ""
            if child.level:
                up = package.split(".")[: len(package.split(".")) - child.level + 1]
                base = ".".join([*up, base]).strip(".")
            yield from ((f"{base}.{alias.name}", inside) for alias in child.names)
        else:
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from imports(child, package, inside or function)


def own(name: str) -> str:
    """gambol.io.npz.save -> io.npz; gambol.quat.exp -> quat; gambol.errors -> errors."""
    parts = name.split(".")[1:]
    while parts and ".".join(parts) not in modules():
        parts.pop()
    return ".".join(parts)


def found(name: str) -> list[tuple[str, bool]]:
    file = modules()[name]
    package = "gambol." + name if file.name == "__init__.py" else ("gambol." + name).rpartition(".")[0]
    return list(imports(ast.parse(file.read_text(encoding="utf-8")), package))


def top(name: str) -> str:
    return name.split(".")[0]


def complaint(name: str, target: str) -> str:
    """Why module ``name`` may not import ``target``, or nothing."""
    table, a, b = layers(), top(name), top(target)
    if missing := {a, b} - set(table):
        return f"no layer in docs/architecture.md for {missing}"
    if a != b:
        return "" if table[b] < table[a] else f"layer {table[a]:g} imports layer {table[b]:g}"
    if a == "methods" and name != "methods":
        return "methods do not import each other"
    return ""


def test_every_module_has_a_layer_and_every_name_a_module():
    assert {top(m) for m in modules()} - set(layers()) == set(), "add the module to docs/architecture.md"
    assert set(layers()) - {top(m) for m in modules()} == set(), "the table names modules that are not there"


@pytest.mark.parametrize("name", sorted(modules()))
def test_a_module_imports_only_lower_layers(name):
    wrong = []
    for imported, _ in found(name):
        target = own(imported) if top(imported) == "gambol" else ""
        if target and target != name and (why := complaint(name, target)):
            wrong.append(f"{name} imports {target}: {why}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(m for m in modules() if layers().get(top(m), 0.0) < FREE))
def test_lower_layers_import_numpy_and_the_standard_library_alone(name):
    allowed = {"gambol", "numpy", *sys.stdlib_module_names}
    assert {top(m) for m, inside in found(name) if not inside} - allowed == set()


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_package_imports_without_anything_but_numpy():
    names = [f"gambol.{m}" for m in modules() if layers().get(top(m), 0.0) < FREE]
    code = f"""
import importlib, sys
gone = "numba trimesh PIL av matplotlib scipy embreex cyclopts rich pxr ufbx ezc3d".split()
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in gone:
            raise ImportError(f"{{name}} is not installed")
sys.meta_path.insert(0, Gone())
for name in {names!r}:
    importlib.import_module(name)
print("fine")
"""
    assert run(code).strip() == "fine"


def test_public_names_load_at_first_use():
    code = "import sys, gambol; print('numpy' in sys.modules); gambol.Body; print('numpy' in sys.modules)"
    assert run(code).split() == ["False", "True"]


def test_every_public_name_is_there_and_the_tables_agree():
    import gambol

    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    checked = next(n for n in tree.body if type_checking(n))
    typed = {a.name: n.module for n in checked.body for a in n.names}
    assert typed == {name: f"gambol.{home}" for name, home in gambol._HOME.items()}
    assert {*gambol._HOME, "__version__"} == set(gambol.__all__)
    for name in gambol.__all__:
        assert getattr(gambol, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        gambol.nonsense  # noqa: B018
