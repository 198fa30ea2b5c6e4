/**
 * The official SDK's v2 line, with its own OAuth client. It is loaded from .cache/clients, so the few members in
 * use are typed here.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { textOf } from '../clients/agent.ts'
import type { LoginClient } from './agent.ts'
import { makeProvider, withLogin } from './provider.ts'

/** The used part of `@modelcontextprotocol/client` 2.4.0. */
type Module = {
  readonly Client: new (info: object, options: object) => SdkClient
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => SdkTransport
}
type SdkTransport = { finishAuth(callback: URLSearchParams): Promise<void> }
type SdkClient = {
  onerror: () => void
  connect(transport: object): Promise<void>
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
  callTool(params: { readonly name: string; readonly arguments: object }): Promise<{
    readonly content: readonly unknown[]
    readonly isError?: boolean
  }>
  close(): Promise<void>
}

export function sdkV2(packages: string): LoginClient {
  return {
    name: 'sdk v2 2.4.0',
    stepUp: 'logs in',
    connect: async ({ mcp, person }) => {
      const { Client, StreamableHTTPClientTransport } = await load(packages)
      const provider = makeProvider(person, 'SDK v2')
      const open = () => {
        const sdk = new Client({ name: 'oauth', version: '1.0.0' }, AUTO)
        sdk.onerror = () => {}
        const options = { authProvider: provider }
        return { sdk, transport: new StreamableHTTPClientTransport(new URL(mcp), options) }
      }
      let opened = open()
      const finish = (callback: URL) => opened.transport.finishAuth(callback.searchParams)
      const connect = () => opened.sdk.connect(opened.transport)
      await withLogin(provider, {
        work: connect,
        finish,
        again: () => {
          opened = open()
          return connect()
        },
      })
      const { sdk } = opened
      return {
        toolNames: async () => (await sdk.listTools()).tools.map(({ name }) => name),
        call: async (name, args) => {
          const work = () => sdk.callTool({ name, arguments: args })
          const { content, isError } = await withLogin(provider, { work, finish, again: work })
          return { text: textOf(content), isError: isError === true }
        },
        loseClient: provider.loseClient,
        close: () => sdk.close(),
      }
    },
  }
}

const AUTO = { versionNegotiation: { mode: 'auto' } }

async function load(packages: string): Promise<Module> {
  const entry = 'node_modules/@modelcontextprotocol/client/dist/index.mjs'
  return import(pathToFileURL(join(packages, entry)).href)
}
