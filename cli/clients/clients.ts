/**
 * All clients that `skillgate connect` supports, and the definitions of the terminal agents among
 * them. Those with `own` have a command that changes their file. Files as of Claude Code 2.1.332,
 * Codex 0.169.0 and Gemini CLI 0.61.0, November 2026.
 */
import { join } from 'node:path'
import { addToClaudeCode, addToGeminiCli } from '../../core/clients/forms.ts'
import { KEY_VARIABLE } from '../../core/clients/server-entry.ts'
import { type Client, inHome, inProject, inServersOf, type Place, toClient } from './client.ts'
import { EDITORS } from './editors.ts'

const claudeFile = ({ env, home }: Place) => [
  join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json'),
]

const CLAUDE_CODE = toClient('claude-code', {
  places: [
    { scope: 'user', paths: claudeFile, servers: inServersOf('claude-code') },
    { scope: 'local', paths: claudeFile, servers: ({ cwd }) => ['projects', cwd, 'mcpServers'] },
    { scope: 'project', paths: inProject('.mcp.json'), servers: inServersOf('claude-code') },
  ],
  login: (name) => `To log in, run claude mcp login ${name}, or choose it under /mcp.`,
  own: {
    program: 'claude',
    add: addToClaudeCode,
    remove: (name, scope) => ['mcp', 'remove', '--scope', scope, name],
    check: 'claude mcp list',
  },
})

const CODEX = toClient('codex', {
  places: [
    {
      scope: 'user',
      paths: ({ env, home }) => [join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml')],
      servers: inServersOf('codex'),
    },
    {
      scope: 'project',
      paths: inProject('.codex', 'config.toml'),
      servers: inServersOf('codex'),
    },
  ],
  login: (name) => `To log in, run codex mcp login ${name}.`,
  own: {
    program: 'codex',
    add: ({ name, url }) => [
      'mcp',
      'add',
      name,
      '--url',
      url,
      '--bearer-token-env-var',
      KEY_VARIABLE,
    ],
    remove: (name) => ['mcp', 'remove', name],
    check: 'codex mcp list',
  },
})

const GEMINI_CLI = toClient('gemini-cli', {
  places: [
    {
      scope: 'user',
      paths: inHome('.gemini', 'settings.json'),
      servers: inServersOf('gemini-cli'),
    },
    {
      scope: 'project',
      paths: inProject('.gemini', 'settings.json'),
      servers: inServersOf('gemini-cli'),
    },
  ],
  login: (name) => `To log in, type /mcp auth ${name} in Gemini CLI.`,
  own: {
    program: 'gemini',
    add: addToGeminiCli,
    remove: (name, scope) => ['mcp', 'remove', '--scope', scope, name],
    check: 'gemini mcp list',
  },
})

const OPENCODE = toClient('opencode', {
  places: [
    {
      scope: 'user',
      paths: ({ home }) => [
        join(home, '.config', 'opencode', 'opencode.jsonc'),
        join(home, '.config', 'opencode', 'opencode.json'),
      ],
      servers: inServersOf('opencode'),
    },
    { scope: 'project', paths: inProject('opencode.json'), servers: inServersOf('opencode') },
  ],
  login: (name) => `To log in, run opencode mcp auth ${name}.`,
})

const GOOSE = toClient('goose', {
  places: [
    {
      scope: 'user',
      paths: ({ env, home, platform }) =>
        platform === 'win32'
          ? [join(env['APPDATA'] ?? home, 'Block', 'goose', 'config', 'config.yaml')]
          : [join(home, '.config', 'goose', 'config.yaml')],
      servers: inServersOf('goose'),
    },
  ],
  login: () => 'Goose opens the browser when it first connects.',
})

const COPILOT_CLI = toClient('copilot-cli', {
  places: [
    {
      scope: 'user',
      paths: inHome('.copilot', 'mcp-config.json'),
      servers: inServersOf('copilot-cli'),
    },
  ],
  login: () => 'Copilot CLI opens the browser when it first connects.',
})

export const CLIENTS: readonly Client[] = [
  CLAUDE_CODE,
  CODEX,
  GEMINI_CLI,
  ...EDITORS,
  OPENCODE,
  GOOSE,
  COPILOT_CLI,
]
