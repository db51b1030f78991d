#!/usr/bin/env python3
import json, os, subprocess, sys, time

NAME = "uwf-json.py"

def uwf(*words, stdin=None, failure=None):
    ran = subprocess.run(["uwf", *words], input=stdin, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.stderr.write(ran.stderr)
        sys.exit(failure or ran.returncode)
    return json.loads(ran.stdout)

def get(node):
    return uwf("cas", "get", node)["payload"]

def put(type, payload, failure=None):
    return uwf("cas", "put", type, "-", stdin=json.dumps(payload), failure=failure)["hash"]

def text(value):
    return put("016K8DJZ2QPQ8", {"text": clean(value)})

def fail(code, sentence):
    sys.exit(print(sentence, file=sys.stderr) or code)

def keys():
    folders = [os.environ.get("UNCAGED_WORKFLOW_STORAGE_ROOT", ""), os.getcwd()]
    files = [os.path.join(folder, ".env") for folder in folders]
    lines = [line for file in files if os.path.isfile(file) for line in open(file).read().splitlines()]
    found = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    names = os.environ.get("UWF_KEY_NAMES", "").split(",")
    found.update((name, os.environ[name]) for name in names if name in os.environ)
    return found

def clean(value):
    for name, key in keys().items():
        if len(key) >= 8:  # a shorter one is found by chance
            value = value.replace(key, f"[redacted:{name}]")
    return value

if sys.argv[1:] == ["--version"]:
    sys.exit(print(NAME, "1.0.0"))
*program, thread, role = sys.argv[1:]

shown = uwf("thread", "show", thread)  # exits with 3 where there is none
head = os.environ.get("UWF_HEAD") or shown["head"]
if shown["done"]:
    fail(8, "the thread has ended")
if head != shown["head"]:
    fail(75, "the head has moved")

steps, at = [], head
while "start" in (node := get(at)):
    steps.insert(0, node)
    at = node["prev"] or node["start"]
start, start_hash = node, at
roles = get(start["workflow"])["roles"]
if role not in roles:
    fail(4, f"the workflow has no role {role}")
schema = get(roles[role]["meta"])

prompt = "\n\n".join([
    "Reply with one JSON object that this JSON Schema describes, and nothing else:\n" + json.dumps(schema),
    f"You act as {role}. " + "\n".join(roles[role][part] for part in ("goal", "procedure", "output")),
    "The task:\n" + start["prompt"],
    "So far:\n" + "\n".join(f"{step['role']}: {json.dumps(get(step['output']))}" for step in steps),
])
began = time.time()
ran = subprocess.run(program, input=prompt, stdout=subprocess.PIPE, text=True)
if ran.returncode != 0:
    fail(6, f"{program[0]} exited with {ran.returncode}")
try:
    output = json.loads(clean(ran.stdout))
except ValueError as error:
    fail(6, f"the reply is no JSON: {error}")

output = put(roles[role]["meta"], output, failure=6)  # refused where it violates the schema
detail = put("4QHFKNYC6XMS8", {
    "agent": NAME, "role": role, "sessionId": None, "cwd": os.getcwd(), "model": None,
    "prompt": text(prompt), "turns": [], "raw": text(ran.stdout), "usage": None,
    "startedAt": int(began * 1000), "durationMs": int((time.time() - began) * 1000),
})
print(put("48PJ12JC509YP", {
    "start": start_hash, "prev": None if head == start_hash else head,
    "role": role, "output": output, "detail": detail,
    "agent": os.environ.get("UWF_AGENT", NAME),
}))
