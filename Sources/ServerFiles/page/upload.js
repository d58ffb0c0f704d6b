/**
 * Posts a form and returns an iterator over the parts of the answer's text as they come. (`fetch` does not tell how much
 * has been sent.)
 *
 * @param onsent called with the part of the form that has been sent, 0…1
 * @returns the status first, then text; throws an `AbortError`, or a `TypeError` if the server cannot be reached
 */
export async function* post(path, form, headers, signal, onsent) {
  const request = new XMLHttpRequest();
  let taken = 0, isOver = false, error = null, wake;
  let changed = new Promise((resolve) => { wake = resolve; });
  const change = () => {
    wake();
    changed = new Promise((resolve) => { wake = resolve; });
  };
  const end = (problem) => {
    error = problem;
    isOver = true;
    change();
  };
  request.open("POST", path);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded, total }) => onsent(loaded / total);
  request.upload.onload = () => onsent(1);
  request.onreadystatechange = request.onprogress = change;
  request.onload = () => end(null);
  request.onerror = () => end(new TypeError("the server cannot be reached"));
  request.onabort = () => end(new DOMException("The request was stopped.", "AbortError"));
  const abort = () => request.abort();
  signal.addEventListener("abort", abort);
  try {
    request.send(form);
    while (request.readyState < XMLHttpRequest.HEADERS_RECEIVED && !isOver) await changed;
    if (error) throw error;
    yield request.status;
    while (true) {
      const isLast = isOver;
      const text = request.responseText;
      if (text.length > taken) {
        const part = text.slice(taken);
        taken = text.length;
        yield part;
      } else if (isLast) {
        break;
      } else {
        await changed;
      }
    }
    if (error) throw error;
  } finally {
    signal.removeEventListener("abort", abort);
    request.abort();
  }
}
