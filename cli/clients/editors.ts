/**
 * The desktop programs and editors that `skillgate connect` supports. Files as their vendors
 * document them, November 2026.
 */
import { join } from 'node:path'
import {
  type Client,
  findAppSupport,
  formatBearer,
  inAppSupport,
  inHome,
  inProject,
  toHeaders,
  toObjectPath,
} from './client.ts'

const envVariable = (name: string) => `\${env:${name}}`

const CLAUDE_DESKTOP: Client = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  format: 'json',
  places: [
    {
      scope: 'user',
      paths: inAppSupport('Claude', 'claude_desktop_config.json'),
      servers: toObjectPath('mcpServers'),
    },
  ],
  // Claude Desktop starts servers as programs; the program mcp-remote forwards messages to the URL.
  // Claude Desktop splits arguments at spaces, so the header is in `env`.
  hasVariables: false,
  entry: (server) => {
    const bearer = formatBearer(server, envVariable)
    const args = ['-y', 'mcp-remote', server.url, '--transport', 'http-only']
    return bearer === undefined
      ? { command: 'npx', args }
      : {
          command: 'npx',
          args: [...args, '--header', `Authorization:\${AUTH_HEADER}`],
          env: { AUTH_HEADER: bearer },
        }
  },
  reload: 'Quit Claude Desktop and start it again.',
  login: () => 'mcp-remote opens the browser when Claude Desktop starts.',
}

const CURSOR: Client = {
  id: 'cursor',
  title: 'Cursor',
  isDesktop: true,
  format: 'json',
  places: [
    { scope: 'user', paths: inHome('.cursor', 'mcp.json'), servers: toObjectPath('mcpServers') },
    {
      scope: 'project',
      paths: inProject('.cursor', 'mcp.json'),
      servers: toObjectPath('mcpServers'),
    },
  ],
  hasVariables: true,
  entry: (server) => ({
    url: server.url,
    ...toHeaders(server, envVariable),
  }),
  reload: 'In Settings, MCP, turn the server on; a running Cursor reads the file by itself.',
  login: () => 'To log in, choose Connect at the server in Settings, MCP.',
}

const VS_CODE: Client = {
  id: 'vscode',
  title: 'VS Code',
  format: 'json',
  places: [
    {
      scope: 'user',
      paths: inAppSupport('Code', 'User', 'mcp.json'),
      servers: toObjectPath('servers'),
    },
    { scope: 'project', paths: inProject('.vscode', 'mcp.json'), servers: toObjectPath('servers') },
  ],
  hasVariables: true,
  entry: (server) => ({
    type: 'http',
    url: server.url,
    ...toHeaders(server, () => `\${input:skillgate-key}`),
  }),
  inputs: [
    { id: 'skillgate-key', type: 'promptString', description: 'Key of Skillgate', password: true },
  ],
  reload: 'Run "MCP: List Servers" and start the server.',
  login: () => 'VS Code opens the browser when the server starts.',
}

const WINDSURF: Client = {
  id: 'windsurf',
  title: 'Windsurf',
  isDesktop: true,
  format: 'json',
  places: [
    {
      scope: 'user',
      paths: inHome('.codeium', 'windsurf', 'mcp_config.json'),
      servers: toObjectPath('mcpServers'),
    },
  ],
  hasVariables: true,
  entry: (server) => ({
    serverUrl: server.url,
    ...toHeaders(server, envVariable),
  }),
  reload: 'Press refresh in the list of MCP servers.',
  login: () => 'Windsurf opens the browser when it connects.',
}

// The documents of Antigravity and LM Studio describe no login for servers of this file.
const ANTIGRAVITY: Client = {
  id: 'antigravity',
  title: 'Antigravity',
  format: 'json',
  places: [
    {
      scope: 'user',
      paths: inHome('.gemini', 'config', 'mcp_config.json'),
      servers: toObjectPath('mcpServers'),
    },
  ],
  hasVariables: false,
  entry: (server) => ({
    serverUrl: server.url,
    ...toHeaders(server, envVariable),
  }),
  reload: 'Press refresh in the list of MCP servers.',
  login: undefined,
}

const ZED: Client = {
  id: 'zed',
  title: 'Zed',
  format: 'json',
  places: [
    {
      scope: 'user',
      // The documents of Zed disagree about macOS, so the path that exists is used.
      paths: (place) => [
        join(
          place.platform === 'win32' ? findAppSupport(place) : join(place.home, '.config'),
          'zed',
          'settings.json',
        ),
        join(findAppSupport(place), 'Zed', 'settings.json'),
      ],
      servers: toObjectPath('context_servers'),
    },
  ],
  hasVariables: false,
  entry: (server) => ({
    source: 'custom',
    type: 'http',
    url: server.url,
    ...toHeaders(server, envVariable),
  }),
  reload: 'Zed reads its settings by itself.',
  login: () => 'Zed asks you to log in when it connects.',
}

const CLINE: Client = {
  id: 'cline',
  title: 'Cline',
  format: 'json',
  places: [
    {
      scope: 'user',
      paths: inAppSupport(
        'Code',
        'User',
        'globalStorage',
        'saoudrizwan.claude-dev',
        'settings',
        'cline_mcp_settings.json',
      ),
      servers: toObjectPath('mcpServers'),
    },
  ],
  hasVariables: false,
  entry: (server) => ({
    type: 'streamableHttp',
    url: server.url,
    ...toHeaders(server, envVariable),
    disabled: false,
  }),
  reload: 'Cline reads its file by itself.',
  login: () => 'To log in, choose Authenticate at the server in the list of MCP servers.',
}

const LM_STUDIO: Client = {
  id: 'lmstudio',
  title: 'LM Studio',
  format: 'json',
  places: [
    {
      scope: 'user',
      paths: ({ home }) => [
        join(home, '.lmstudio', 'mcp.json'),
        join(home, '.cache', 'lm-studio', 'mcp.json'),
      ],
      servers: toObjectPath('mcpServers'),
    },
  ],
  hasVariables: false,
  entry: (server) => ({
    url: server.url,
    ...toHeaders(server, envVariable),
  }),
  reload: 'LM Studio reads its file by itself.',
  login: undefined,
}

export const EDITORS: readonly Client[] = [
  CLAUDE_DESKTOP,
  CURSOR,
  VS_CODE,
  WINDSURF,
  ANTIGRAVITY,
  ZED,
  CLINE,
  LM_STUDIO,
]
