/**
 * Sends the requests of the smoke test: a request with an expected status, and the first minute of
 * an official MCP client.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { SmokeTarget } from './target.ts'

/**
 * A check of the smoke test. `run` returns a description of the trouble; undefined if the check
 * passes.
 */
export type Check = { readonly says: string; readonly run: () => Promise<string | undefined> }

type Headers = { readonly [name: string]: string }

const ANSWER_TIMEOUT_MS = 20_000
/** A well-formed key that belongs to no user. */
export const UNKNOWN_KEY = `sgk_${'A'.repeat(43)}`

export function toBearerHeaders(key: string): { readonly authorization: string } {
  return { authorization: `Bearer ${key}` }
}

export function buildPost(body: object, headers: Headers = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

export async function expectStatus(
  status: number | readonly number[],
  url: URL,
  init: RequestInit = {},
): Promise<string | undefined> {
  const answer = await sendRequest(url, init)
  const wanted = [status].flat()
  if (wanted.includes(answer.status)) return undefined
  return `answered ${answer.status} instead of ${wanted.join(' or ')}: ${answer.text.slice(0, 200)}`
}

export async function sendRequest(
  url: URL,
  init: RequestInit,
): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
  return { status: response.status, text: await response.text() }
}

/**
 * Connects, lists the tools, and calls the account tool, or the skill given by --call. Returns a
 * description of the trouble, or undefined.
 */
export async function runOfficialClient(
  transport: Transport,
  call?: SmokeTarget['call'],
): Promise<string | undefined> {
  const client = new Client({ name: 'skillgate-smoke', version: '1.0.0' })
  try {
    await client.connect(transport)
    const { tools } = await client.listTools()
    const account = tools.find(({ name }) => name.endsWith('_account'))
    if (account === undefined) return `lists ${tools.length} tools, and no account among them`
    const toolCall = call ?? { skill: account.name, arguments: {} }
    const result = await client.callTool({
      name: toolCall.skill,
      arguments: { ...toolCall.arguments },
    })
    return result.isError === true ? `is an error: ${JSON.stringify(result.content)}` : undefined
  } finally {
    await client.close()
  }
}
