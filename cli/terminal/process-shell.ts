/** Implements the type `Shell` for the running process. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { findHome } from '../../adapters/profiles/home.ts'
import { findProgramName } from '../../adapters/profiles/program-name.ts'
import { escapeHiddenText } from '../../core/json/visible-text.ts'
import { toOutput } from './output.ts'
import { decodeText } from './read-text.ts'
import type { Input, Programs, Shell } from './shell.ts'

export function openProcessShell(signal: AbortSignal): Shell {
  // biome-ignore lint/style/noProcessEnv: the variables of the command line are its own; adapters/config reads a door's.
  const env = process.env
  const { platform } = process
  const place = { folder: import.meta.dirname, path: env['PATH'], platform }
  return {
    env,
    cwd: process.cwd(),
    home: findHome() ?? '',
    platform,
    program: findProgramName(place),
    out: toOutput(process.stdout, env),
    err: toOutput(process.stderr, env),
    input: toInput(signal),
    signal,
    nowMs: () => Date.now(),
    programs: toPrograms(env),
  }
}

function toInput(signal: AbortSignal): Input {
  return {
    isTTY: process.stdin.isTTY === true && process.stderr.isTTY === true,
    readAll: async () => decodeText(await buffer(process.stdin), 'The text on stdin'),
    choose: async (choice) => (await import('./choose.ts')).chooseOnTerminal(choice, signal),
    // The library of prompts is loaded only where somebody answers.
    askAll: async (questions) => (await import('./ask-all.ts')).askAll(questions, signal),
    ask: async (question, hidden = false) => {
      let muted = false
      const output = new Writable({
        write: (chunk, _encoding, done) => {
          if (!muted) process.stderr.write(chunk)
          done()
        },
      })
      const lines = createInterface({ input: process.stdin, output, terminal: true })
      lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
      try {
        const answer = lines.question(escapeHiddenText(question), { signal })
        muted = hidden
        return await answer
      } finally {
        lines.close()
        if (hidden) process.stderr.write('\n')
      }
    },
  }
}

export function toPrograms(env: NodeJS.ProcessEnv): Programs {
  return {
    show: (file, args) =>
      new Promise((resolve, reject) => {
        const child = spawn(file, args, { stdio: 'inherit', env })
        // Ctrl-C reaches both processes, but a supervisor's SIGTERM only this one.
        const forwardSignal = () => child.kill('SIGTERM')
        process.on('SIGTERM', forwardSignal)
        child.on('error', (cause) => (isMissing(cause) ? resolve(undefined) : reject(cause)))
        child.on('exit', (code, ended) => {
          process.off('SIGTERM', forwardSignal)
          resolve(code ?? (ended === 'SIGINT' ? 130 : 1))
        })
      }),
    collect: (file, args, stdin = '') =>
      new Promise((resolve, reject) => {
        const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'], env })
        const stdout = text(child.stdout)
        child.on('error', (cause) => (isMissing(cause) ? resolve(undefined) : reject(cause)))
        child.on('close', (code) => stdout.then((all) => resolve({ code: code ?? 1, stdout: all })))
        // A program that ends without reading stdin closes the pipe.
        child.stdin.on('error', () => {})
        child.stdin.end(stdin)
      }),
    launch: (file, args) => {
      const child = spawn(file, args, { stdio: 'ignore', detached: true, env })
      // There may be no such program; the caller has told the person what to do without it.
      child.on('error', () => {})
      child.unref()
    },
  }
}

function isMissing(cause: Error): boolean {
  return 'code' in cause && cause.code === 'ENOENT'
}
