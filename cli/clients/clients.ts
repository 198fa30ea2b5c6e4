/**
 * All clients that `skillgate connect` supports, and the definitions of terminal agents that have
 * no command of their own for it.
 */
import { join } from 'node:path'
import { bearer, type Client } from './client.ts'
import { CLIENTS_WITH_COMMANDS } from './clients-with-commands.ts'
import { EDITORS } from './editors.ts'
import { inHome, inProject, under } from './places.ts'

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
      servers: under('mcp'),
    },
    { scope: 'project', paths: inProject('opencode.json'), servers: under('mcp') },
  ],
  hasVariables: true,
  entry: (server) => ({
    type: 'remote',
    url: server.url,
    headers: { Authorization: bearer(server, (name) => `{env:${name}}`) },
    enabled: true,
  }),
  reload: 'Start OpenCode again.',
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
      servers: under('extensions'),
    },
  ],
  hasVariables: false,
  entry: (server) => ({
    type: 'streamable_http',
    name: server.name,
    uri: server.url,
    headers: { Authorization: bearer(server, (name) => `\${${name}}`) },
    enabled: true,
    timeout: 300,
  }),
  reload: 'Start a new Goose session.',
}

const COPILOT_CLI: Client = {
  id: 'copilot-cli',
  title: 'Copilot CLI',
  format: 'json',
  places: [
    { scope: 'user', paths: inHome('.copilot', 'mcp-config.json'), servers: under('mcpServers') },
  ],
  hasVariables: false,
  entry: (server) => ({
    type: 'http',
    url: server.url,
    headers: { Authorization: bearer(server, (name) => `\${${name}}`) },
    tools: ['*'],
  }),
  reload: 'Start Copilot CLI again.',
}

export const CLIENTS: readonly Client[] = [
  ...CLIENTS_WITH_COMMANDS,
  ...EDITORS,
  OPENCODE,
  GOOSE,
  COPILOT_CLI,
]
