"""A layout that records what is drawn, and refuses what Blender's own would."""

from __future__ import annotations

import types
from typing import Any

import bpy

FUNCTIONS = bpy.types.UILayout.bl_rna.functions
ICONS = set(FUNCTIONS["label"].parameters["icon"].enum_items.keys())
NESTED = {"row", "column", "box", "split", "column_flow", "grid_flow", "menu_pie"}


class Recorder:
    """Stands for a UILayout: `said` lists texts, properties and operators in the order of drawing."""

    def __init__(self, said: list[str] | None = None) -> None:
        object.__setattr__(self, "said", [] if said is None else said)

    def __setattr__(self, name: str, value: Any) -> None:
        assert name in bpy.types.UILayout.bl_rna.properties, f"a layout has no {name}"
        kind = bpy.types.UILayout.bl_rna.properties[name].type
        assert isinstance(value, {"BOOLEAN": bool, "FLOAT": (int, float), "ENUM": str}[kind]), (
            f"{name} = {value!r}"
        )

    def __getattr__(self, name: str) -> Any:
        assert name in FUNCTIONS, f"a layout has no {name}"
        return lambda *values, **named: self._call(name, values, named)

    def _call(self, name: str, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
        inputs = [p for p in FUNCTIONS[name].parameters if not p.is_output]
        assert len(values) <= len(inputs), f"{name} of {len(values)} values"
        given = dict(zip((p.identifier for p in inputs), values))
        assert not given.keys() & named.keys(), f"{name}: twice the same"
        given.update(named)
        known = {p.identifier for p in inputs} | {"text_ctxt", "translate"}
        assert given.keys() <= known, f"{name} knows no {given.keys() - known}"
        missing = {p.identifier for p in inputs if p.is_required} - given.keys()
        assert not missing, f"{name} lacks {missing}"
        assert given.get("icon", "NONE") in ICONS, f"no icon is {given['icon']}"
        if "text" in given and given["text"] is not None:
            assert isinstance(given["text"], str)
            self.said.append(given["text"])
        return self._result(name, given)

    def _result(self, name: str, given: dict[str, Any]) -> Any:
        if name in NESTED:
            return Recorder(self.said)
        if name in ("panel", "panel_prop"):
            return Recorder(self.said), Recorder(self.said)
        if name == "operator":
            return Properties(self.said, given["operator"])
        for data, key in (("data", "property"), ("search_data", "search_property")):
            if data in given and key in given:
                self._property(given[data], given[key])
        if name == "template_list":
            self._property(given["dataptr"], given["propname"])
            self._property(given["active_dataptr"], given["active_propname"])
            assert hasattr(bpy.types, given["listtype_name"]), given["listtype_name"]
        return None

    def _property(self, data: Any, name: str) -> None:
        assert name in data.bl_rna.properties or name in data.bl_rna.functions, (
            f"{data} has no property {name}"
        )
        self.said.append(name)


class Properties:
    """The properties of an operator's button: those that the operator has can be set."""

    def __init__(self, said: list[str], name: str) -> None:
        module, _, function = name.partition(".")
        operator = getattr(getattr(bpy.ops, module), function)
        object.__setattr__(self, "known", operator.get_rna_type().properties)
        said.append(name)

    def __setattr__(self, name: str, value: Any) -> None:
        assert name in self.known, f"the operator has no {name}"


class Drawn:
    """Stands for an instance of a panel or a list, which Blender makes only in its windows."""

    def __init__(self, kind: type) -> None:
        self.layout = Recorder()
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._kind, name)
        return types.MethodType(value, self) if isinstance(value, types.FunctionType) else value


def draw(kind: type, context: Any) -> list[str]:
    """What a panel draws, empty if it is not shown."""
    if hasattr(kind, "poll") and not kind.poll(context):
        return []
    panel = Drawn(kind)
    for part in ("draw_header", "draw_header_preset", "draw"):
        if hasattr(kind, part):
            getattr(panel, part)(context)
    return panel.layout.said


def draw_item(kind: type, context: Any, data: Any, item: Any, property: str) -> list[str]:
    """What a list draws of an item, in each of its arrangements."""
    said = []
    for arrangement in ("DEFAULT", "COMPACT"):
        shown = Drawn(kind)
        shown.layout_type = arrangement
        values = (context, shown.layout, data, item, 0, data, property, 0, 0)
        shown.draw_item(*values[: kind.draw_item.__code__.co_argcount - 1])
        said += shown.layout.said
    return said
