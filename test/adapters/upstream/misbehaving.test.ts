import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import type { UpstreamAnswer } from '../../../core/call/upstream.ts'
import { type MisbehavingUpstream, misbehavingUpstream } from './misbehaving.ts'
import { MISBEHAVIOURS } from './misbehaviours.ts'

const CAP = 1_000_000

let server: MisbehavingUpstream
beforeAll(async () => {
  server = await misbehavingUpstream()
})
afterAll(() => server.close())

function shown(answer: UpstreamAnswer): unknown {
  if (answer.kind === 'too_large') return { kind: 'too_large' }
  if (answer.kind === 'unreachable') return { kind: 'unreachable', detail: answer.detail }
  if (answer.kind !== 'answered') return answer
  const { body, status } = answer.response
  return { kind: 'answered', status, text: Buffer.from(body).toString() }
}

describe('an upstream that misbehaves', () => {
  test.each(MISBEHAVIOURS)(
    'an upstream that $name comes to $outcome',
    async ({ name, outcome }) => {
      const upstream = httpUpstream({ outboundAllow: [server.host] })
      const guard = new AbortController()
      const answer = upstream.send(
        { method: 'GET', url: `${server.url}/${name}`, headers: {}, body: undefined },
        { responseBytesMax: CAP, signal: guard.signal, uid: 'ada' },
      )
      // A request to an upstream that never ends is cut once the upstream has read it.
      if (outcome.kind === 'cut') {
        await expect.poll(() => server.requests(name)).toBe(1)
        setTimeout(() => guard.abort(), 20)
      }
      expect(shown(await answer)).toEqual(outcome)
      // No connection is left behind in any case: a cut one ends at once, a kept one when we close.
      if (outcome.kind !== 'answered' && outcome.kind !== 'refused_target') {
        await expect.poll(() => server.open()).toBe(0)
      }
      upstream.close()
      await expect.poll(() => server.open()).toBe(0)
    },
  )

  test('does not count a request that was meant for another server', async () => {
    const own = await misbehavingUpstream()
    try {
      await expect(fetch(`${own.url}/v1/mcp/sse`)).rejects.toThrow()
      expect([own.requests(), own.open()]).toEqual([0, 0])
    } finally {
      await own.close()
    }
  })

  test('in any way spoils no other call', async () => {
    const upstream = httpUpstream({ outboundAllow: [server.host] })
    const send = (name: string, signal: AbortSignal) =>
      upstream.send(
        { method: 'GET', url: `${server.url}/${name}`, headers: {}, body: undefined },
        { responseBytesMax: 1_000, signal, uid: 'ada' },
      )
    const never = new AbortController().signal
    for (const { name, outcome } of MISBEHAVIOURS) {
      const signal = outcome.kind === 'cut' ? AbortSignal.timeout(30) : never
      await send(name, signal)
      const next = await send('says-headers-twice', never)
      expect([name, shown(next)]).toEqual([name, { kind: 'answered', status: 200, text: 'ok' }])
    }
    upstream.close()
  })
})
