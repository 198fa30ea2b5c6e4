/**
 * Claude Code as a person uses it: in a terminal, with a prompt. Tasks are known to this mode alone;
 * `claude -p` does not declare them. The terminal is made by `script` of util-linux.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Home } from './home.ts'

/** `script` waits two seconds for its program when it is told to end. */
const END_MS_MAX = 10_000
/** Wide enough that no line of a message is broken. */
const COLUMNS = 200
const COMMAND =
  `stty cols ${COLUMNS} rows 50; ` +
  'exec claude --mcp-config "$MCP_CONFIG" --strict-mcp-config --allowedTools "$ALLOWED" -- "$PROMPT"'

export type ClaudeTerminal = {
  /** Everything on the screen so far, without the terminal's control sequences. */
  screen(): string
  /** Why it is over, or undefined while it runs. */
  ended(): string | undefined
  stop(): Promise<void>
}

export type ClaudeStart = {
  /** The gateway's URL. */
  readonly mcp: string
  /** Origin of the API of its model. */
  readonly model: string
  /** Tools that it runs without asking. */
  readonly allowed: readonly string[]
  readonly prompt: string
}

export function startClaude(home: Home, start: ClaudeStart): ClaudeTerminal {
  const child = spawnClaude(home, start)
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let written = ''
  let ended: string | undefined
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      written += chunk.toString('utf8')
    })
  }
  child.once('error', (cause) => {
    ended = `script of util-linux could not be started: ${cause.message}`
  })
  child.once('exit', (code) => {
    ended ??= `Claude Code ended with ${code}`
    process.off('exit', kill)
  })
  return {
    screen: () => withoutControls(written),
    ended: () => ended,
    stop: async () => {
      if (ended === undefined) await end(child)
    },
  }
}

function spawnClaude({ cwd, env, home }: Home, start: ClaudeStart) {
  const config = join(home, 'mcp.json')
  const server = { type: 'http', url: start.mcp }
  writeFileSync(config, JSON.stringify({ mcpServers: { skillgate: server } }))
  // Otherwise it asks for a theme, a login and whether the folder is trusted.
  const trust = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
  const settings = { hasCompletedOnboarding: true, theme: 'dark', projects: { [cwd]: trust } }
  writeFileSync(join(home, '.claude.json'), JSON.stringify(settings))
  const more = {
    TERM: 'xterm-256color',
    SHELL: '/bin/sh',
    MCP_CONFIG: config,
    ALLOWED: start.allowed.join(','),
    PROMPT: start.prompt,
    ANTHROPIC_BASE_URL: start.model,
    ANTHROPIC_AUTH_TOKEN: 'none',
    // Each turn names all tools to the model.
    ENABLE_TOOL_SEARCH: 'false',
  }
  return spawn('script', ['-qfc', COMMAND, '/dev/null'], { cwd, env: { ...env, ...more } })
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX)
  await exited
  clearTimeout(patience)
}

/** A terminal moves its cursor in place of writing spaces. */
function withoutControls(written: string): string {
  return stripVTControlCharacters(written.replaceAll('\u001b', ' \u001b'))
}
