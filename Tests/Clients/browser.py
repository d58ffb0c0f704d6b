"""A browser for tests: Chromium without a window, driven by the DevTools protocol over a pair of pipes."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def program():
    """The path of Chromium; None if it is not installed."""
    return next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


class Browser:
    """One process with its own profile, which is removed at the end."""

    def __init__(self, *, microphone=None):
        """microphone: a WAV file that is played once instead of a real microphone."""
        self.profile = tempfile.mkdtemp(prefix="whisper-local-browser-")
        flags = [
            "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-gpu",
            "--disable-dev-shm-usage", "--disable-extensions", "--hide-scrollbars", "--force-device-scale-factor=1",
            "--lang=en-US", "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
            # Requests to any other host fail at once, so that tests notice them.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]
        if microphone:
            flags.append(f"--use-file-for-fake-audio-capture={microphone}%noloop")
        if os.geteuid() == 0:
            flags.append("--no-sandbox")
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        child = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (commands, answers)]

        def connect():
            os.dup2(child[0], 3)
            os.dup2(child[1], 4)

        self.process = subprocess.Popen(
            [program(), *flags, "about:blank"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, preexec_fn=connect, pass_fds=(3, 4), start_new_session=True)
        for fd in (commands, answers, *child):
            os.close(fd)
        self._text = b""
        self._number = 0
        self._results = {}
        self.pages = {}

    def close(self):
        try:
            self.command("Browser.close")
            self.process.wait(10)
        except (AssertionError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self._commands)
        os.close(self._answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    def page(self, **options):
        """A new tab, isolated from the others."""
        context = self.command("Target.createBrowserContext")["browserContextId"]
        target = self.command("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session, context, **options)
        return page

    def command(self, method, session=None, timeout=30, **parameters):
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while number not in self._results:
            self.listen(deadline, f"{method} was not answered")
        answer = self._results.pop(number)
        assert "error" not in answer, f"{method}: {answer['error']['message']}"
        return answer["result"]

    def listen(self, deadline, problem):
        """Handles incoming data until a message has been read."""
        ready, _, _ = select.select([self._answers], [], [], max(0, deadline - time.monotonic()))
        assert ready, problem
        data = os.read(self._answers, 1 << 20)
        assert data, "the browser has ended"
        *messages, self._text = (self._text + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self._results[message["id"]] = message
            elif page := self.pages.get(message.get("sessionId")):
                page.happened(message["method"], message["params"])


class Page:
    """A tab. `requests` are the URLs that it requested, `errors` the errors that its console showed."""

    def __init__(self, browser, session, context, *, dark=False, size=(1000, 720)):
        self.browser = browser
        self.session = session
        self.context = context
        self.requests = []
        self.errors = []
        self.downloads = tempfile.mkdtemp(prefix="downloads-", dir=browser.profile)
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.command(f"{domain}.enable")
        browser.command(
            "Browser.setDownloadBehavior", behavior="allow", browserContextId=context, downloadPath=self.downloads)
        self.set_dark(dark)
        self.resize(*size)

    def command(self, method, **parameters):
        return self.browser.command(method, self.session, **parameters)

    def happened(self, event, parameters):
        match event:
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Network.webSocketCreated":
                self.requests.append(parameters["url"])
            case "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description") or details["text"])
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                self.errors.append(" ".join(str(part.get("value", part)) for part in parameters["args"]))
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.errors.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")

    # What the user sees

    def set_dark(self, dark):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        calm = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.command("Emulation.setEmulatedMedia", features=[scheme, calm])

    def resize(self, width, height):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def allow(self, *permissions):
        self.browser.command("Browser.grantPermissions", permissions=permissions, browserContextId=self.context)

    def screenshot(self, path):
        data = base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"])
        with open(path, "wb") as file:
            file.write(data)

    # What the user does

    def open(self, address):
        self.command("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def click(self, selector, count=1):
        """Scrolls to an element and clicks in its middle, once or several times."""
        x, y = self.value(f"""(() => {{
            const element = {element(selector)};
            element.scrollIntoView({{block: "center"}});
            const box = element.getClientRects()[0];
            const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
            const hit = document.elementFromPoint(x, y);
            if (!element.contains(hit)) throw new Error(`${{hit?.outerHTML}} is in front of it`);
            return [x, y];
        }})()""")
        for number in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.command(
                    "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=number)

    def press(self, key, *, control=False, shift=False):
        """Presses a key by its name, such as `Enter` or `a`."""
        codes = {
            "Enter": 13, "Escape": 27, "Tab": 9, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
            "ArrowDown": 40, "End": 35, "Home": 36, "F2": 113, "/": 191,
        }
        common = {
            "key": key, "code": "Space" if key == " " else key, "modifiers": 2 * control + 8 * shift,
            "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper())),
        }
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        self.command("Input.dispatchKeyEvent", type="keyDown", **common, **({} if control else text))
        self.command("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        """Types into the element with the focus."""
        self.command("Input.insertText", text=text)

    def choose_file(self, selector, *paths):
        root = self.command("DOM.getDocument")["root"]["nodeId"]
        node = self.command("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.command("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])

    def drop(self, *paths, x=200, y=300):
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.command("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def download(self, name, timeout=10):
        """The content of a file that the page has offered for download."""
        path = os.path.join(self.downloads, name)
        deadline = time.monotonic() + timeout
        while not os.path.exists(path):
            assert time.monotonic() < deadline, f"{name} was not downloaded, only {os.listdir(self.downloads)}"
            time.sleep(0.05)
        with open(path, "rb") as file:
            return file.read()

    # The state of the page

    def value(self, expression):
        """The value of a JavaScript expression; promises are awaited."""
        result = self.command(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=False)
        assert "exceptionDetails" not in result, f"{expression}: {result['exceptionDetails']}"
        return result["result"].get("value")

    def text(self, selector):
        return self.value(f"{element(selector)}.innerText")

    def is_visible(self, selector):
        return self.value(f"!!document.querySelector({json.dumps(selector)})?.checkVisibility()")

    def wait(self, condition, timeout=20):
        """Waits until a JavaScript expression is true."""
        deadline = time.monotonic() + timeout
        while not self.value(f"!!({condition})"):
            assert time.monotonic() < deadline, f"never true: {condition}; console: {self.errors}"
            time.sleep(0.05)


def element(selector):
    """JavaScript for the element with a CSS selector; an expression in parentheses is used as it is."""
    return selector if selector.startswith("(") else f"document.querySelector({json.dumps(selector)})"
