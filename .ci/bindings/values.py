"""Checks that the types of bindings read and write the values that the schemas of a snapshot allow.

`values.py program FILE SNAPSHOTS` generates a program that reads lines `SERVER TYPE JSON`, decodes the JSON,
and writes it back. `values.py check PROGRAM SNAPSHOTS` passes generated values to this program, and compares
the output. VALUES is the number of values per schema (20 by default), and SECONDS limits the CPU time per
schema (20 by default).
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor

import jsonschema
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis_jsonschema import _from_schema, from_schema

COUNT = int(os.environ.get("VALUES", 20))
SECONDS = int(os.environ.get("SECONDS", 20))


def snapshots(folder):
    for path in sorted(pathlib.Path(folder).glob("*.mcp.json")):
        yield path.name.removesuffix(".mcp.json"), json.loads(path.read_text())


def types(snapshot):
    """Yields the types of arguments and results with their schemas."""
    at = {}
    for name, record in snapshot["rust"]["types"].items():
        for place in record["at"]:
            at[place] = name
    for tool in snapshot["tools"]:
        for member in ["inputSchema", "outputSchema"]:
            name = at.get(f"{tool['name']}/{member}")
            if name and member in tool:
                yield name, tool[member]


def program(path, folder):
    arms = []
    for server, snapshot in snapshots(folder):
        for name in sorted({name for name, _ in types(snapshot)}):
            arms.append(f'            ("{server}", "{name}") => again::<{server}::{name}>(json),')
    lines = "\n".join(arms)
    pathlib.Path(path).write_text(
        f"""//! Reads lines `SERVER TYPE JSON`, and writes each value after decoding it.

use bindings_2024::*;

fn again<T: serde::de::DeserializeOwned + serde::Serialize>(json: &str) -> Result<String, serde_json::Error> {{
    serde_json::to_string(&serde_json::from_str::<T>(json)?)
}}

fn main() {{
    for line in std::io::stdin().lines() {{
        let line = line.expect("a line");
        let mut parts = line.splitn(3, ' ');
        let (Some(server), Some(name), Some(json)) = (parts.next(), parts.next(), parts.next()) else {{
            panic!("{{line}}");
        }};
        let written = match (server, name) {{
{lines}
            _ => panic!("{{server}} {{name}}"),
        }};
        println!("{{}}", written.unwrap_or_else(|error| format!("error: {{error}}")));
    }}
}}
"""
    )


# A small set of values instead of any JSON, because the generator takes more than a second for a value
# of arbitrary depth. The numbers are exact both as `i64` and as `f64`.
SCALAR = {"type": ["null", "boolean", "integer", "string"], "minimum": -(2**53), "maximum": 2**53}
ANY = {
    "anyOf": [
        SCALAR,
        {"type": "array", "items": SCALAR, "maxItems": 3},
        {"type": "object", "additionalProperties": SCALAR, "maxProperties": 3},
    ]
}
ANNOTATIONS = {"$schema", "default", "description", "examples", "title"}


def bounded(schema, is_part=False):
    """Restricts a schema to values that the generator makes quickly and that fit into `i64` and `f64`.

    Tuples become the form that the generator supports. A part of a schema stays open, because its values
    must also match the other parts, which may have more members.
    """
    if schema is True or isinstance(schema, dict) and not schema.keys() - ANNOTATIONS:
        return schema if is_part else ANY
    if not isinstance(schema, dict):
        return schema
    unions = {"allOf", "anyOf", "oneOf"} & schema.keys()
    made = dict(schema)
    for name in {"$defs", "definitions", "patternProperties", "properties"} & schema.keys():
        made[name] = {key: bounded(value) for key, value in schema[name].items()}
    for name in unions:
        made[name] = [bounded(value, name == "allOf" or "properties" in schema) for value in schema[name]]
    for name in {"additionalProperties", "items", "prefixItems"} & schema.keys():
        value = schema[name]
        made[name] = [bounded(item) for item in value] if isinstance(value, list) else bounded(value)
    is_object = schema.get("type") == "object" or "properties" in schema
    if is_object and not is_part and not unions:
        made.setdefault("additionalProperties", SCALAR)
    if "prefixItems" in made:
        made["items"] = made.pop("prefixItems")
        made["additionalItems"] = False
    if schema.get("type") in ["integer", "number"]:
        limit = 2**53
        made["minimum"] = max(schema.get("minimum", -limit), -limit)
        made["maximum"] = min(schema.get("maximum", limit), limit)
    return made


def without_defaults(value, written):
    """Returns `value` without members that are missing in `written`, the value that came back.

    A type drops unknown members, and optional members that are null.
    """
    if isinstance(value, dict) and isinstance(written, dict):
        known = {name for name in value if name in written}
        return {name: without_defaults(value[name], written[name]) for name in known}
    if isinstance(value, list) and isinstance(written, list) and len(value) == len(written):
        return [without_defaults(*pair) for pair in zip(value, written)]
    return value


def lost(schema, value, written, root):
    """Yields the described members that were lost although their value was not null."""
    if isinstance(value, dict) and isinstance(written, dict):
        described = schema.get("properties", {}) if isinstance(schema, dict) else {}
        for name in value:
            if name in described and value[name] is not None and name not in written:
                yield name


class OutOfTime(BaseException):
    """Ends the generation. As a `BaseException`, it is not caught and retried by the generator."""


def out_of_time(*_):
    raise OutOfTime


def remembered(strategy_of):
    """Returns a function that keeps the strategy for each schema."""
    strategies = {}

    def strategy(schema, **options):
        key = json.dumps(schema)
        if key not in strategies:
            strategies[key] = strategy_of(schema, **options)
        return strategies[key]

    return strategy


# The generator makes the strategies of all members again for each value, which takes two thirds of the time.
# The values are the same either way.
vars(_from_schema)["__from_schema"] = remembered(vars(_from_schema)["__from_schema"])


def examples(schema):
    values = []

    @seed(1)
    @settings(
        max_examples=COUNT,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(from_schema(bounded(schema)))
    def collect(value):
        values.append(value)

    signal.signal(signal.SIGPROF, out_of_time)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        collect()
    except OutOfTime:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return values


def tried(schema):
    """Generates values for a schema. Returns them with the error, if any, and the CPU seconds."""
    warnings.simplefilter("ignore")
    started = time.process_time()
    try:
        values, fault = examples(schema), None
    except Exception as error:
        values, fault = [], f"{type(error).__name__}: {error}"
    return values, fault, time.process_time() - started


def check(path, folder):
    warnings.simplefilter("ignore")
    schemas = [(server, name, schema) for server, snapshot in snapshots(folder) for name, schema in types(snapshot)]
    cases, left_out, times = [], [], []
    with ProcessPoolExecutor() as pool:
        made = pool.map(tried, [schema for _, _, schema in schemas])
        for (server, name, schema), (values, fault, seconds) in zip(schemas, made, strict=True):
            cases += [(server, name, schema, value) for value in values]
            times.append((seconds, len(values), server, name))
            if fault:
                left_out.append(f"{server} {name}: {fault}"[:200])
    lines = [f"{server} {name} {json.dumps(value)}\n" for server, name, _, value in cases]
    done = subprocess.run([path], input="".join(lines), capture_output=True, text=True, check=True)
    faults = []
    for (server, name, schema, value), line in zip(cases, done.stdout.split("\n")[:-1], strict=True):
        at = f"{server} {name}: {json.dumps(value)[:300]}"
        if line.startswith("error: "):
            faults.append(f"{at}: {line}")
            continue
        written = json.loads(line)
        if without_defaults(value, written) != written or list(lost(schema, value, written, schema)):
            faults.append(f"{at}: came back as {line[:300]}")
        # `jsonschema.validate` would check the schema again for each value.
        validator = jsonschema.validators.validator_for(schema)(schema)
        if error := jsonschema.exceptions.best_match(validator.iter_errors(written)):
            faults.append(f"{at}: came back invalid: {error.message[:200]}")
    for seconds, count, server, name in sorted(times, reverse=True)[:10]:
        print(f"{server} {name}: {count} values in {seconds:.1f} s")
    for line in left_out:
        print(f"no values: {line}")
    print(f"{len(cases)} values of {len({(s, n) for s, n, _, _ in cases})} types, {len(faults)} faults")
    if faults or len(left_out) > len(cases) // COUNT // 10:
        print("\n".join(faults[:40]), file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    {"program": program, "check": check}[sys.argv[1]](*sys.argv[2:])
