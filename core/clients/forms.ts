/**
 * How each MCP client wants a server written: the command line and the console show the same. Files
 * as of Claude Code 2.1.332, Codex 0.169.0 and Gemini CLI 0.61.0, and as the vendors of the others
 * document them, November 2026.
 */
import { formatBearer, KEY_VARIABLE, type Server, toHeaders } from './server-entry.ts'

export type ConfigFormat = 'json' | 'toml' | 'yaml'

export type ClientForm = {
  readonly title: string
  readonly format: ConfigFormat
  /** The file of this person, as it is called on Linux; `~` is the home folder. */
  readonly file: string
  /** The path, from the root, of the object that maps names to servers. */
  readonly servers: readonly string[]
  /**
   * True if the client expands variables in its file, or prompts for the key. Other clients need
   * the key itself in the file.
   */
  readonly hasVariables: boolean
  readonly entry: (server: Server) => { readonly [name: string]: unknown }
  /** What a person has to do so that the client reads its file again. */
  readonly reload: string
  /** Definitions of prompts, for a client that prompts for the key (VS Code). */
  readonly inputs?: readonly { readonly [name: string]: unknown }[]
  /** The client's own program, and the arguments with which it adds the server. */
  readonly command?: {
    readonly program: string
    readonly add: (server: Server, scope: string) => readonly string[]
  }
  /** A link that opens the client and adds the server. Its entry must hold no key. */
  readonly link?: (server: Server, toBase64: (text: string) => string) => string
}

const shellVariable = (name: string) => `\${${name}}`
const envVariable = (name: string) => `\${env:${name}}`

/** Returns the option of a client's own command that adds the header; no words with a login. */
function toHeaderOption(server: Server): readonly string[] {
  const bearer = formatBearer(server, shellVariable)
  return bearer === undefined ? [] : ['--header', `Authorization: ${bearer}`]
}

/** Returns the arguments of `claude`. */
export function addToClaudeCode(server: Server, scope: string): readonly string[] {
  const { name, url } = server
  return [...ADD_OVER_HTTP, '--scope', scope, name, url, ...toHeaderOption(server)]
}

/** Returns the arguments of `gemini`. */
export function addToGeminiCli(server: Server, scope: string): readonly string[] {
  const { name, url } = server
  return [...ADD_OVER_HTTP, '--scope', scope, ...toHeaderOption(server), name, url]
}

const ADD_OVER_HTTP = ['mcp', 'add', '--transport', 'http']

const CLAUDE_CODE: ClientForm = {
  title: 'Claude Code',
  format: 'json',
  file: '~/.claude.json',
  servers: ['mcpServers'],
  hasVariables: true,
  entry: (server) => ({ type: 'http', url: server.url, ...toHeaders(server, shellVariable) }),
  reload:
    'Start a new session, or type /mcp in a running one. A project file needs your approval there.',
  command: { program: 'claude', add: addToClaudeCode },
}

const CODEX: ClientForm = {
  title: 'Codex',
  format: 'toml',
  file: '~/.codex/config.toml',
  servers: ['mcp_servers'],
  hasVariables: true,
  entry: ({ auth, url }) => {
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
  },
  reload: 'Start Codex again. It reads a project file in folders that it trusts.',
}

const GEMINI_CLI: ClientForm = {
  title: 'Gemini CLI',
  format: 'json',
  file: '~/.gemini/settings.json',
  servers: ['mcpServers'],
  hasVariables: true,
  entry: (server) => ({ url: server.url, type: 'http', ...toHeaders(server, shellVariable) }),
  reload: 'Start Gemini CLI again, or type /mcp refresh.',
  command: { program: 'gemini', add: addToGeminiCli },
}

/**
 * Claude Desktop starts servers as programs; the program mcp-remote forwards messages to the URL.
 * Claude Desktop splits arguments at spaces, so the header is in `env`.
 */
const CLAUDE_DESKTOP: ClientForm = {
  title: 'Claude Desktop',
  format: 'json',
  file: '~/.config/Claude/claude_desktop_config.json',
  servers: ['mcpServers'],
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
}

const CURSOR: ClientForm = {
  title: 'Cursor',
  format: 'json',
  file: '~/.cursor/mcp.json',
  servers: ['mcpServers'],
  hasVariables: true,
  entry: (server) => ({ url: server.url, ...toHeaders(server, envVariable) }),
  reload: 'In Settings, MCP, turn the server on; a running Cursor reads the file by itself.',
  link: (server, toBase64) => {
    const config = encodeURIComponent(toBase64(JSON.stringify(CURSOR.entry(server))))
    return `cursor://anysphere.cursor-deeplink/mcp/install?name=${server.name}&config=${config}`
  },
}

const VS_CODE: ClientForm = {
  title: 'VS Code',
  format: 'json',
  file: '~/.config/Code/User/mcp.json',
  servers: ['servers'],
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
  link: (server) => {
    const { entry, inputs } = VS_CODE
    const prompts = server.auth.kind === 'variable' ? { inputs } : {}
    const config = { name: server.name, ...entry(server), ...prompts }
    return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(config))}`
  },
}

const WINDSURF: ClientForm = {
  title: 'Windsurf',
  format: 'json',
  file: '~/.codeium/windsurf/mcp_config.json',
  servers: ['mcpServers'],
  hasVariables: true,
  entry: (server) => ({ serverUrl: server.url, ...toHeaders(server, envVariable) }),
  reload: 'Press refresh in the list of MCP servers.',
}

const ANTIGRAVITY: ClientForm = {
  ...WINDSURF,
  title: 'Antigravity',
  file: '~/.gemini/config/mcp_config.json',
  hasVariables: false,
}

const ZED: ClientForm = {
  title: 'Zed',
  format: 'json',
  file: '~/.config/zed/settings.json',
  servers: ['context_servers'],
  hasVariables: false,
  entry: (server) => ({
    source: 'custom',
    type: 'http',
    url: server.url,
    ...toHeaders(server, envVariable),
  }),
  reload: 'Zed reads its settings by itself.',
}

const CLINE: ClientForm = {
  title: 'Cline',
  format: 'json',
  file: '~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
  servers: ['mcpServers'],
  hasVariables: false,
  entry: (server) => ({
    type: 'streamableHttp',
    url: server.url,
    ...toHeaders(server, envVariable),
    disabled: false,
  }),
  reload: 'Cline reads its file by itself.',
}

const LM_STUDIO: ClientForm = {
  title: 'LM Studio',
  format: 'json',
  file: '~/.lmstudio/mcp.json',
  servers: ['mcpServers'],
  hasVariables: false,
  entry: (server) => ({ url: server.url, ...toHeaders(server, envVariable) }),
  reload: 'LM Studio reads its file by itself.',
}

const OPENCODE: ClientForm = {
  title: 'OpenCode',
  format: 'json',
  file: '~/.config/opencode/opencode.jsonc',
  servers: ['mcp'],
  hasVariables: true,
  entry: (server) => ({
    type: 'remote',
    url: server.url,
    ...toHeaders(server, (name) => `{env:${name}}`),
    enabled: true,
  }),
  reload: 'Start OpenCode again.',
}

const GOOSE: ClientForm = {
  title: 'Goose',
  format: 'yaml',
  file: '~/.config/goose/config.yaml',
  servers: ['extensions'],
  hasVariables: false,
  entry: (server) => ({
    type: 'streamable_http',
    name: server.name,
    uri: server.url,
    ...toHeaders(server, shellVariable),
    enabled: true,
    timeout: 300,
  }),
  reload: 'Start a new Goose session.',
}

const COPILOT_CLI: ClientForm = {
  title: 'Copilot CLI',
  format: 'json',
  file: '~/.copilot/mcp-config.json',
  servers: ['mcpServers'],
  hasVariables: false,
  entry: (server) => ({
    type: 'http',
    url: server.url,
    ...toHeaders(server, shellVariable),
    tools: ['*'],
  }),
  reload: 'Start Copilot CLI again.',
}

/** The clients by their ids, in the order of `connect --list`. */
export const CLIENT_FORMS = {
  'claude-code': CLAUDE_CODE,
  codex: CODEX,
  'gemini-cli': GEMINI_CLI,
  'claude-desktop': CLAUDE_DESKTOP,
  cursor: CURSOR,
  vscode: VS_CODE,
  windsurf: WINDSURF,
  antigravity: ANTIGRAVITY,
  zed: ZED,
  cline: CLINE,
  lmstudio: LM_STUDIO,
  opencode: OPENCODE,
  goose: GOOSE,
  'copilot-cli': COPILOT_CLI,
} satisfies { readonly [id: string]: ClientForm }

export type ClientId = keyof typeof CLIENT_FORMS
