"""Runs Lambda functions as node processes, in place of LocalStack's Docker executor.

One process is one execution environment; execution-environment.ts is the program in it. Node functions from a zip
only. There is no isolation, no memory limit, no layer and no streaming: this is for deployments of our own code.
"""

import json
import os
import select
import subprocess
import tempfile
import time
from pathlib import Path

from localstack import config
from localstack.services.lambda_ import provider
from localstack.services.lambda_.invocation import execution_environment, runtime_executor, version_manager
from localstack.services.lambda_.invocation.lambda_models import InvocationResult

PROGRAM = Path(__file__).parent / "execution-environment.ts"


class NodeExecutor(runtime_executor.RuntimeExecutor):
    """LocalStack calls start, invoke as often as it likes but never twice at once, and stop."""

    node = "node"
    process = None

    def start(self, env_vars):
        self.env_vars = env_vars
        code = str(self.function_version.config.code.get_unzipped_code_location())
        env = {name: str(value) for name, value in env_vars.items()}
        env |= {
            "PATH": os.environ["PATH"],
            "LAMBDA_TASK_ROOT": code,
            "TZ": "UTC",
            "TMPDIR": tempfile.gettempdir(),
        }
        # Answers have a pipe of their own: what the function prints belongs to its log.
        read_end, write_end = os.pipe()
        self.log = tempfile.TemporaryFile()
        self.logged = 0
        self.process = subprocess.Popen(
            [self.node, str(PROGRAM), str(write_end)],
            cwd=code,
            env=env,
            stdin=subprocess.PIPE,
            stdout=self.log,
            stderr=self.log,
            pass_fds=[write_end],
        )
        os.close(write_end)
        self.answers = os.fdopen(read_end, "rb")

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.answers.close()

    def invoke(self, payload):
        timeout_s = self.function_version.config.timeout
        invocation = {
            "id": payload["invoke-id"],
            "arn": payload["invoked-function-arn"],
            "payload": payload["payload"],
            "deadlineMs": (time.time() + timeout_s) * 1000,
        }
        answer = self._ask(invocation, timeout_s)
        # What a function prints after its answer comes with the lines of the next invocation.
        log_end = self.log.seek(0, os.SEEK_END)
        log_bytes = os.pread(self.log.fileno(), log_end - self.logged, self.logged)
        self.logged = log_end
        # As on Lambda: a process that timed out or exited is replaced, with fresh memory.
        if self.process.poll() is not None:
            self.start(self.env_vars)
        failed = "error" in answer
        body = answer["error"] if failed else answer["result"]
        said = log_bytes.decode(errors="replace")
        logs = f"START RequestId: {invocation['id']}\n{said}END RequestId: {invocation['id']}\n"
        return InvocationResult(invocation["id"], json.dumps(body).encode(), is_error=failed, logs=logs)

    def _ask(self, invocation, timeout_s):
        try:
            self.process.stdin.write(json.dumps(invocation).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return self._ended("Runtime.ExitError", "Runtime exited")
        readable, _, _ = select.select([self.answers], [], [], timeout_s)
        if not readable:
            return self._ended("Sandbox.Timedout", f"Task timed out after {timeout_s:.2f} seconds")
        line = self.answers.readline()
        return json.loads(line) if line else self._ended("Runtime.ExitError", "Runtime exited")

    def _ended(self, error_type, why):
        self.stop()
        return {"error": {"errorType": error_type, "errorMessage": why}}

    def get_address(self):
        return "127.0.0.1"

    def get_endpoint_from_executor(self):
        return self.get_address()

    def get_runtime_endpoint(self):
        return f"http://127.0.0.1:{config.GATEWAY_LISTEN[0].port}"

    def get_logs(self):
        return ""

    @classmethod
    def prepare_version(cls, function_version):
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version):
        pass


def install(node):
    """Makes this the executor of all functions. Each module below has imported the choice under its own name."""
    NodeExecutor.node = node
    for module in (runtime_executor, execution_environment, version_manager, provider):
        module.get_runtime_executor = lambda: NodeExecutor
