/**
 * The official SDK's v2 line, which speaks 2026-07-28, with the package for tasks beside it: once with discovery of the server's
 * revision, and once pinned. It is loaded from .cache/clients, so the few members in use are typed
 * here.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isReplayed, keyMeta, type TestedClient, textOf } from './agent.ts'
import { openTasks } from './ext-tasks.ts'

/** The used part of `@modelcontextprotocol/client` 2.4.0. */
type Module = {
  readonly Client: new (info: object, options: object) => SdkClient
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => object
}
type SdkClient = {
  onerror: () => void
  connect(transport: object): Promise<void>
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
  callTool(
    params: { readonly name: string; readonly arguments: object; readonly _meta?: object },
    options: { readonly onprogress?: () => void },
  ): Promise<{
    readonly content: readonly unknown[]
    readonly isError?: boolean
    readonly _meta?: object
  }>
  getNegotiatedProtocolVersion(): string | undefined
  close(): Promise<void>
}

const MODERN = '2026-07-28'

export function sdkV2Clients(packages: string): readonly TestedClient[] {
  return [
    client(packages, 'sdk v2 2.4.0 auto', 'auto'),
    client(packages, 'sdk v2 2.4.0 pinned', { pin: MODERN }),
  ]
}

function client(packages: string, name: string, mode: object | string): TestedClient {
  return {
    name,
    revision: MODERN,
    hearsProgress: true,
    connect: async (door) => {
      const { key, mcp } = door
      const { Client, StreamableHTTPClientTransport } = await load(packages)
      let changes = 0
      // This option makes it open subscriptions/listen by itself.
      const tools = { autoRefresh: false, debounceMs: 0, onChanged: () => (changes += 1) }
      const options = { versionNegotiation: { mode }, listChanged: { tools } }
      const sdk = new Client({ name: 'clients', version: '1.0.0' }, options)
      sdk.onerror = () => {}
      const requestInit = { headers: { Authorization: `Bearer ${key}` } }
      await sdk.connect(new StreamableHTTPClientTransport(new URL(mcp), { requestInit }))
      return {
        revision: sdk.getNegotiatedProtocolVersion(),
        toolNames: async () => (await sdk.listTools()).tools.map((tool) => tool.name),
        call: async (tool, args, onProgress) => {
          const how = onProgress === undefined ? {} : { onprogress: onProgress }
          const result = await sdk.callTool({ name: tool, arguments: args }, how)
          return { text: textOf(result.content), isError: result.isError === true }
        },
        callOnce: async (tool, args, key) => {
          const asked = { name: tool, arguments: args, _meta: keyMeta(key) }
          const result = await sdk.callTool(asked, {})
          const reply = { text: textOf(result.content), isError: result.isError === true }
          return { ...reply, isReplayed: isReplayed(result._meta) }
        },
        changes: () => changes,
        tasks: () => openTasks(packages, sdk, door),
        close: () => sdk.close(),
      }
    },
  }
}

async function load(packages: string): Promise<Module> {
  const entry = 'node_modules/@modelcontextprotocol/client/dist/index.mjs'
  return import(pathToFileURL(join(packages, entry)).href)
}
