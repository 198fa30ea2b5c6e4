/** An agent of each revision: the official client that speaks it, with a user who answers. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type Door, isReplayed, keyMeta, textOf } from '../clients/agent.ts'
import { loadSdkV1, type SdkRelease, type SdkV1 } from './sdk-releases.ts'

export type Progress = { readonly total?: number | undefined }

export type Reply = {
  readonly text: string
  readonly isError: boolean
  readonly structured: unknown
  readonly isReplayed: boolean
}

export type CallOptions = {
  readonly onProgress?: (progress: Progress) => void
  readonly signal?: AbortSignal
  /** The Idempotency-Key. */
  readonly key?: string
}

export type Agent = {
  toolNames(): Promise<readonly string[]>
  /** Rejects for a JSON-RPC error. */
  call(name: string, args: object, options?: CallOptions): Promise<Reply>
  /** Messages of the questions that its user answered so far. */
  readonly questions: readonly string[]
  close(): Promise<void>
}

export type TestedAgent = {
  readonly name: string
  readonly revision: string
  connect(door: Door): Promise<Agent>
}

/** What the user answers to each question. */
export const ANSWER = { action: 'accept' as const, content: { name: 'Ada' } }
const INFO = { name: 'upstreams', version: '1.0.0' }
const MODERN = '2026-07-28'

export function allAgents(packages: string): readonly TestedAgent[] {
  const http = (release: SdkRelease): TestedAgent => ({
    name: `sdk v1 http ${release}`,
    revision: release,
    connect: async (door) => connectV1(await loadSdkV1(packages, release), httpTransport, door),
  })
  return [
    {
      name: 'sdk v1 sse 2024-11-05',
      revision: '2024-11-05',
      connect: async (door) =>
        connectV1(await loadSdkV1(packages, '2025-11-25'), sseTransport, door),
    },
    http('2025-03-26'),
    http('2025-06-18'),
    http('2025-11-25'),
    sdkV2Agent(packages, 'auto', 'auto'),
    sdkV2Agent(packages, 'pinned', { pin: MODERN }),
  ]
}

async function connectV1(
  sdk: SdkV1,
  open: (sdk: SdkV1, door: Door) => Transport,
  door: Door,
): Promise<Agent> {
  const questions: string[] = []
  // The oldest release knows no questions.
  const canAnswer = sdk.ElicitRequestSchema !== undefined
  const client = new sdk.Client(INFO, { capabilities: canAnswer ? { elicitation: {} } : {} })
  client.onerror = () => {}
  if (canAnswer) {
    client.setRequestHandler(sdk.ElicitRequestSchema, ({ params }) => {
      questions.push(params.message)
      return ANSWER
    })
  }
  await client.connect(open(sdk, door))
  return {
    questions,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, { key, onProgress, signal } = {}) => {
      const meta = key === undefined ? {} : { _meta: keyMeta(key) }
      const params = { name, arguments: { ...args }, ...meta }
      const options = {
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
        ...(signal === undefined ? {} : { signal }),
      }
      return toReply(await client.callTool(params, sdk.CallToolResultSchema, options))
    },
    close: () => client.close(),
  }
}

function httpTransport(sdk: SdkV1, { key, mcp }: Door): Transport {
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  // The SDK's own types do not allow for an undefined session id.
  return new sdk.StreamableHTTPClientTransport(new URL(mcp), { requestInit }) as Transport
}

function sseTransport(sdk: SdkV1, { key, sse }: Door): Transport {
  const authorization = `Bearer ${key}`
  return new sdk.SSEClientTransport(new URL(sse), {
    requestInit: { headers: { Authorization: authorization } },
    eventSourceInit: {
      fetch: (url, init) => {
        const headers = new Headers(init.headers)
        headers.set('Authorization', authorization)
        return fetch(url, { ...init, headers })
      },
    },
  })
}

/** The used part of `@modelcontextprotocol/client` 2.4.0. */
type ModuleV2 = {
  readonly Client: new (info: object, options: object) => ClientV2
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => object
}
type ClientV2 = {
  onerror: () => void
  setRequestHandler(
    method: 'elicitation/create',
    handler: (request: { readonly params: { readonly message: string } }) => object,
  ): void
  connect(transport: object): Promise<void>
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
  callTool(
    params: { readonly name: string; readonly arguments: object; readonly _meta?: object },
    options: { readonly onprogress?: (progress: Progress) => void; readonly signal?: AbortSignal },
  ): Promise<unknown>
  getNegotiatedProtocolVersion(): string | undefined
  close(): Promise<void>
}

function sdkV2Agent(packages: string, name: string, mode: object | string): TestedAgent {
  return {
    name: `sdk v2 ${name} ${MODERN}`,
    revision: MODERN,
    connect: async ({ key, mcp }) => {
      const entry = 'node_modules/@modelcontextprotocol/client/dist/index.mjs'
      const sdk: ModuleV2 = await import(pathToFileURL(join(packages, entry)).href)
      const questions: string[] = []
      const capabilities = { elicitation: { form: {} } }
      const client = new sdk.Client(INFO, { capabilities, versionNegotiation: { mode } })
      client.onerror = () => {}
      client.setRequestHandler('elicitation/create', ({ params }) => {
        questions.push(params.message)
        return ANSWER
      })
      const requestInit = { headers: { Authorization: `Bearer ${key}` } }
      await client.connect(new sdk.StreamableHTTPClientTransport(new URL(mcp), { requestInit }))
      return {
        questions,
        toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
        call: async (tool, args, { key: once, onProgress, signal } = {}) => {
          const meta = once === undefined ? {} : { _meta: keyMeta(once) }
          const options = {
            ...(onProgress === undefined ? {} : { onprogress: onProgress }),
            ...(signal === undefined ? {} : { signal }),
          }
          return toReply(await client.callTool({ name: tool, arguments: args, ...meta }, options))
        },
        close: () => client.close(),
      }
    },
  }
}

function toReply(result: unknown): Reply {
  const { _meta, content, isError, structuredContent } = Object(result) as {
    readonly _meta?: unknown
    readonly content?: readonly unknown[]
    readonly isError?: boolean
    readonly structuredContent?: unknown
  }
  return {
    text: textOf(content ?? []),
    isError: isError === true,
    structured: structuredContent,
    isReplayed: isReplayed(_meta),
  }
}
