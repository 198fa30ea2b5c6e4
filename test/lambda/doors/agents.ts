// Two agents: the official client of the protocol, and a bare one that sees each byte. The bare one
// reads blocks as they come and posts texts of the test.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import type { World } from './world.ts'

export async function connectClient(world: World, key: string): Promise<Client> {
  const client = new Client({ name: 'lambda-tests', version: '1.0.0' })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  const transport = new SSEClientTransport(new URL(`${world.sseUrl.url}/v1/mcp/sse`), {
    requestInit,
  })
  await client.connect(transport)
  return client
}

/** The text of a tool result's first block, and whether it is an error. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, string>,
): Promise<{ isError: boolean; text: string }> {
  const result = await client.callTool({ name, arguments: args })
  const [first] = result.content as { text?: string }[]
  return { isError: result.isError === true, text: first?.text ?? '' }
}

export type BareStream = {
  readonly response: Response
  /** Of the invocation that serves it. */
  readonly requestId: string
  /** The next block, comments too; undefined at the end of the stream. */
  readonly nextBlock: () => Promise<string | undefined>
  /**
   * The next answer's JSON. Skips comments and the gateway's own notifications: a new stream is
   * told of a tool that is younger than a minute.
   */
  readonly nextReply: () => Promise<Record<string, unknown> | undefined>
  /** Posts to the announced URL. */
  readonly post: (message: object) => Promise<Response>
  /** Posts to the announced path at another origin, as to another environment. */
  readonly postTo: (origin: string, message: object) => Promise<Response>
  readonly leave: () => void
}

export async function openBareStream(
  world: Pick<World, 'sseUrl'>,
  key: string,
): Promise<BareStream> {
  const departure = new AbortController()
  const response = await fetch(`${world.sseUrl.url}/v1/mcp/sse`, {
    headers: { authorization: `Bearer ${key}` },
    signal: departure.signal,
  })
  const blocks = blocksOf(response)
  const nextBlock = async () => (await blocks.next()).value
  const first = await nextBlock()
  const path = /^data: (.*)$/m.exec(first ?? '')?.[1]
  const nextReply = async () => {
    for (let block = await nextBlock(); block !== undefined; block = await nextBlock()) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      const message: Record<string, unknown> = data === undefined ? {} : JSON.parse(data)
      if ('result' in message || 'error' in message) return message
    }
    return undefined
  }
  const postTo = (origin: string, message: object) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    })
  const post = (message: object) => postTo(world.sseUrl.url, message)
  const requestId = response.headers.get('x-amzn-requestid') ?? ''
  return { response, requestId, nextBlock, nextReply, post, postTo, leave: () => departure.abort() }
}

export function toolCall(id: number | string, name: string, args: object): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}

async function* blocksOf(response: Response): AsyncGenerator<string, undefined> {
  if (response.body === null) return undefined
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield text.slice(0, end + 2)
      text = text.slice(end + 2)
    }
  }
  return undefined
}
