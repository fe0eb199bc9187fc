# SPDX-License-Identifier: GPL-2.0-or-later
"""A headless Chromium, driven through two pipes: nothing but the browser is needed."""

import base64
import fcntl
import json
import os
import select
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def find():
    """Path of a browser, or None."""
    for folder in os.environ.get("PATH", "").split(":"):
        for name in PROGRAMS:
            path = os.path.join(folder, name)
            if os.access(path, os.X_OK):
                return path
    return None


class Browser:
    """One page in a browser of its own."""

    def __init__(self, width=1440, height=1000, seconds=60):
        self.seconds = seconds
        self.folder = tempfile.TemporaryDirectory(prefix="oprof-page.")
        here_reads, browser_writes = os.pipe()
        browser_reads, here_writes = os.pipe()

        def move():
            # The browser reads from 3 and writes to 4: out of the way first.
            reads = fcntl.fcntl(browser_reads, fcntl.F_DUPFD, 10)
            writes = fcntl.fcntl(browser_writes, fcntl.F_DUPFD, 10)
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--user-data-dir=" + self.folder.name,
             "--window-size=%d,%d" % (width, height), "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=move, close_fds=False)
        os.close(browser_reads)
        os.close(browser_writes)
        self.reads, self.writes = here_reads, here_writes
        self.waiting, self.number, self.session, self.events = b"", 0, None, []
        target = [one for one in self.call("Target.getTargets")["targetInfos"]
                  if one["type"] == "page"][0]
        self.session = self.call("Target.attachToTarget",
                                 targetId=target["targetId"], flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Network.enable")

    def message(self, until):
        """The next message of the browser."""
        while b"\0" not in self.waiting:
            if not select.select([self.reads], [], [], max(until - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.reads, 1 << 20)
            if not more:
                raise EOFError("the browser is gone")
            self.waiting += more
        text, self.waiting = self.waiting.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        """What the browser answers to a command; events meanwhile are kept."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.writes, json.dumps(command).encode() + b"\0")
        until = time.monotonic() + self.seconds
        while True:
            answer = self.message(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def open(self, path, query=""):
        """A page of this machine, until it says that it is ready."""
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + query)
        until = time.monotonic() + self.seconds
        while self.evaluate("document.querySelector('html[data-ready]') !== null") is not True:
            if time.monotonic() > until:
                raise TimeoutError("the page is not ready: %s" % self.faults())
            time.sleep(0.02)

    def evaluate(self, script):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def key(self, key):
        """Press and release."""
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def mouse(self, kind, x, y):
        """mousePressed, mouseReleased, mouseMoved."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                  buttons=0 if kind == "mouseReleased" else 1, clickCount=1)

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def width(self, width, height=900):
        """The window's from now on."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.evaluate("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))

    def faults(self):
        """Exceptions, errors on the console, and requests that left the page."""
        faults = []
        for event in self.events:
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                faults.append(details.get("exception", {}).get("description", details["text"]))
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] == "error":
                faults.append(str(params["args"]))
            elif event["method"] == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "about:", "data:")):
                    faults.append("a request: " + url)
        return faults

    def close(self):
        """Ends this browser, and nothing else."""
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, EOFError, TimeoutError, RuntimeError):
            self.process.kill()
        self.process.wait()
        self.folder.cleanup()
