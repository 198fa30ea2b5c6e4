/** A twin in this process that people can log in to, with a clock that a test moves. */
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type TwinOptions, type TwinSeam } from '../../local/start-twin.ts'

export async function startLoginTwin(change: Partial<TwinOptions> = {}, seam: TwinSeam = {}) {
  let aheadMs = 0
  const clock = { ...systemClock(), nowMs: () => Date.now() + aheadMs }
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const options = { ...DEFAULT_OPTIONS, port: 0, memory: true, login: true, ...change }
  const twin = await startTwin(options, { call: print, note: print }, { clock, ...seam })
  const admin = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${twin.origin}/v1/admin/${path}`, {
      method,
      headers: { 'x-admin-key': twin.credentials.adminKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  /** Calls a tool over /mcp and returns the status and the text of the answer. */
  const call = async (
    token: string | undefined,
    name = 'sg_echo',
    args: object = { text: 'hi' },
  ) => {
    const answer = await fetch(`${twin.origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'mcp-protocol-version': '2025-06-18',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  return {
    ...twin,
    lines,
    admin,
    call,
    advance: (ms: number) => {
      aheadMs += ms
    },
  }
}

export type LoginTwin = Awaited<ReturnType<typeof startLoginTwin>>
