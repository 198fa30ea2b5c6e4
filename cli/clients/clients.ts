/**
 * All clients that `skillgate connect` supports, and the definitions of the terminal agents among
 * them. Those with `own` have a command that changes their file. Files as of Claude Code 2.1.332,
 * Codex 0.169.0 and Gemini CLI 0.61.0, November 2026.
 */
import { join } from 'node:path'
import {
  type Auth,
  type Client,
  inHome,
  inProject,
  KEY_VARIABLE,
  type Place,
  type Server,
  toHeaders,
  toObjectPath,
} from './client.ts'
import { EDITORS } from './editors.ts'

const claudeFile = ({ env, home }: Place) => [
  join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json'),
]

const shellVariable = (name: string) => `\${${name}}`

/** Returns the option of a client's own command that adds the header; no words with a login. */
const toHeaderOption = (auth: Auth) =>
  auth.kind === 'login' ? [] : ['--header', `Authorization: Bearer ${shellVariable(KEY_VARIABLE)}`]

const CLAUDE_CODE: Client = {
  id: 'claude-code',
  title: 'Claude Code',
  format: 'json',
  places: [
    { scope: 'user', paths: claudeFile, servers: toObjectPath('mcpServers') },
    { scope: 'local', paths: claudeFile, servers: ({ cwd }) => ['projects', cwd, 'mcpServers'] },
    { scope: 'project', paths: inProject('.mcp.json'), servers: toObjectPath('mcpServers') },
  ],
  hasVariables: true,
  entry: (server) => ({
    type: 'http',
    url: server.url,
    ...toHeaders(server, shellVariable),
  }),
  reload:
    'Start a new session, or type /mcp in a running one. A project file needs your approval there.',
  login: (name) => `To log in, run claude mcp login ${name}, or choose it under /mcp.`,
  own: {
    program: 'claude',
    add: ({ auth, name, url }, scope) => [
      'mcp',
      'add',
      '--transport',
      'http',
      '--scope',
      scope,
      name,
      url,
      ...toHeaderOption(auth),
    ],
    remove: (name, scope) => ['mcp', 'remove', '--scope', scope, name],
    check: 'claude mcp list',
  },
}

const codexEntry = ({ auth, url }: Server) => {
  switch (auth.kind) {
    case 'variable':
      return { url, bearer_token_env_var: KEY_VARIABLE }
    case 'key':
      return { url, http_headers: { Authorization: `Bearer ${auth.key}` } }
    case 'login':
      return { url }
    default:
      return auth satisfies never
  }
}

const CODEX: Client = {
  id: 'codex',
  title: 'Codex',
  format: 'toml',
  places: [
    {
      scope: 'user',
      paths: ({ env, home }) => [join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml')],
      servers: toObjectPath('mcp_servers'),
    },
    {
      scope: 'project',
      paths: inProject('.codex', 'config.toml'),
      servers: toObjectPath('mcp_servers'),
    },
  ],
  hasVariables: true,
  entry: codexEntry,
  reload: 'Start Codex again. It reads a project file in folders that it trusts.',
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
}

const GEMINI_CLI: Client = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  format: 'json',
  places: [
    {
      scope: 'user',
      paths: inHome('.gemini', 'settings.json'),
      servers: toObjectPath('mcpServers'),
    },
    {
      scope: 'project',
      paths: inProject('.gemini', 'settings.json'),
      servers: toObjectPath('mcpServers'),
    },
  ],
  hasVariables: true,
  entry: (server) => ({
    url: server.url,
    type: 'http',
    ...toHeaders(server, shellVariable),
  }),
  reload: 'Start Gemini CLI again, or type /mcp refresh.',
  login: (name) => `To log in, type /mcp auth ${name} in Gemini CLI.`,
  own: {
    program: 'gemini',
    add: ({ auth, name, url }, scope) => [
      'mcp',
      'add',
      '--transport',
      'http',
      '--scope',
      scope,
      ...toHeaderOption(auth),
      name,
      url,
    ],
    remove: (name, scope) => ['mcp', 'remove', '--scope', scope, name],
    check: 'gemini mcp list',
  },
}

const OPENCODE: Client = {
  id: 'opencode',
  title: 'OpenCode',
  format: 'json',
  places: [
    {
      scope: 'user',
      paths: ({ home }) => [
        join(home, '.config', 'opencode', 'opencode.jsonc'),
        join(home, '.config', 'opencode', 'opencode.json'),
      ],
      servers: toObjectPath('mcp'),
    },
    { scope: 'project', paths: inProject('opencode.json'), servers: toObjectPath('mcp') },
  ],
  hasVariables: true,
  entry: (server) => ({
    type: 'remote',
    url: server.url,
    ...toHeaders(server, (name) => `{env:${name}}`),
    enabled: true,
  }),
  reload: 'Start OpenCode again.',
  login: (name) => `To log in, run opencode mcp auth ${name}.`,
}

const GOOSE: Client = {
  id: 'goose',
  title: 'Goose',
  format: 'yaml',
  places: [
    {
      scope: 'user',
      paths: ({ env, home, platform }) =>
        platform === 'win32'
          ? [join(env['APPDATA'] ?? home, 'Block', 'goose', 'config', 'config.yaml')]
          : [join(home, '.config', 'goose', 'config.yaml')],
      servers: toObjectPath('extensions'),
    },
  ],
  hasVariables: false,
  entry: (server) => ({
    type: 'streamable_http',
    name: server.name,
    uri: server.url,
    ...toHeaders(server, (name) => `\${${name}}`),
    enabled: true,
    timeout: 300,
  }),
  reload: 'Start a new Goose session.',
  login: () => 'Goose opens the browser when it first connects.',
}

const COPILOT_CLI: Client = {
  id: 'copilot-cli',
  title: 'Copilot CLI',
  format: 'json',
  places: [
    {
      scope: 'user',
      paths: inHome('.copilot', 'mcp-config.json'),
      servers: toObjectPath('mcpServers'),
    },
  ],
  hasVariables: false,
  entry: (server) => ({
    type: 'http',
    url: server.url,
    ...toHeaders(server, (name) => `\${${name}}`),
    tools: ['*'],
  }),
  reload: 'Start Copilot CLI again.',
  login: () => 'Copilot CLI opens the browser when it first connects.',
}

export const CLIENTS: readonly Client[] = [
  CLAUDE_CODE,
  CODEX,
  GEMINI_CLI,
  ...EDITORS,
  OPENCODE,
  GOOSE,
  COPILOT_CLI,
]
