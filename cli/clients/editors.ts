/**
 * The desktop programs and editors that `skillgate connect` supports. Files as their vendors
 * document them, November 2026.
 */
import { join } from 'node:path'
import {
  type Client,
  findAppSupport,
  inAppSupport,
  inHome,
  inProject,
  inServersOf,
  toClient,
} from './client.ts'

const CLAUDE_DESKTOP = toClient('claude-desktop', {
  places: [
    {
      scope: 'user',
      paths: inAppSupport('Claude', 'claude_desktop_config.json'),
      servers: inServersOf('claude-desktop'),
    },
  ],
  login: () => 'mcp-remote opens the browser when Claude Desktop starts.',
})

const CURSOR = toClient('cursor', {
  isDesktop: true,
  places: [
    { scope: 'user', paths: inHome('.cursor', 'mcp.json'), servers: inServersOf('cursor') },
    {
      scope: 'project',
      paths: inProject('.cursor', 'mcp.json'),
      servers: inServersOf('cursor'),
    },
  ],
  login: () => 'To log in, choose Connect at the server in Settings, MCP.',
})

const VS_CODE = toClient('vscode', {
  places: [
    {
      scope: 'user',
      paths: inAppSupport('Code', 'User', 'mcp.json'),
      servers: inServersOf('vscode'),
    },
    { scope: 'project', paths: inProject('.vscode', 'mcp.json'), servers: inServersOf('vscode') },
  ],
  login: () => 'VS Code opens the browser when the server starts.',
})

const WINDSURF = toClient('windsurf', {
  isDesktop: true,
  places: [
    {
      scope: 'user',
      paths: inHome('.codeium', 'windsurf', 'mcp_config.json'),
      servers: inServersOf('windsurf'),
    },
  ],
  login: () => 'Windsurf opens the browser when it connects.',
})

// The documents of Antigravity and LM Studio describe no login for servers of this file.
const ANTIGRAVITY = toClient('antigravity', {
  places: [
    {
      scope: 'user',
      paths: inHome('.gemini', 'config', 'mcp_config.json'),
      servers: inServersOf('antigravity'),
    },
  ],
  login: undefined,
})

const ZED = toClient('zed', {
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
      servers: inServersOf('zed'),
    },
  ],
  login: () => 'Zed asks you to log in when it connects.',
})

const CLINE = toClient('cline', {
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
      servers: inServersOf('cline'),
    },
  ],
  login: () => 'To log in, choose Authenticate at the server in the list of MCP servers.',
})

const LM_STUDIO = toClient('lmstudio', {
  places: [
    {
      scope: 'user',
      paths: ({ home }) => [
        join(home, '.lmstudio', 'mcp.json'),
        join(home, '.cache', 'lm-studio', 'mcp.json'),
      ],
      servers: inServersOf('lmstudio'),
    },
  ],
  login: undefined,
})

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
