/**
 * The whole corpus at call time: nothing is sent, and targets refused by their text are not even
 * resolved.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { LookupAddress } from 'node:dns'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import type { UpstreamAnswer } from '../../../core/call/upstream.ts'
import { PUBLIC_ADDRESSES, REFUSED_ADDRESSES, REFUSED_URLS } from '../../core/request/targets.ts'

/** Counts the sockets of this process: how many were made, and how many tried to connect. */
const counts = { sockets: 0, attempts: 0 }
const onSocket = (message: unknown) => {
  const { socket } = message as { socket: Socket }
  counts.sockets += 1
  socket.on('connectionAttempt', () => {
    counts.attempts += 1
  })
}

beforeAll(() => subscribe('net.client.socket', onSocket))
afterAll(() => void unsubscribe('net.client.socket', onSocket))
beforeEach(() => {
  Object.assign(counts, { sockets: 0, attempts: 0 })
})

async function sent(url: string, addresses: readonly string[]) {
  const asked: string[] = []
  const found: readonly LookupAddress[] = addresses.map((address) => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }))
  const upstream = httpUpstream({
    resolve: (host, done) => {
      asked.push(host)
      done(null, found)
    },
  })
  const answer: UpstreamAnswer = await upstream.send(
    { method: 'POST', url, headers: { authorization: 'Bearer x' }, body: 'x' },
    { responseBytesMax: 10, signal: new AbortController().signal, uid: 'ada' },
  )
  upstream.close()
  return { answer, asked }
}

describe('a target that is refused by its text', () => {
  const urls = Object.entries(REFUSED_URLS).flatMap(([fault, of]) => of.map((url) => [url, fault]))
  test.each(urls)(
    'the target %s is refused before a name is resolved or a socket made',
    async (url, fault) => {
      const { answer, asked } = await sent(url, ['1.1.1.1'])
      expect(answer).toEqual({
        kind: 'refused_target',
        detail: expect.stringMatching(`^its URL ${fault}`),
      })
      expect(asked).toEqual([])
      expect(counts).toEqual({ sockets: 0, attempts: 0 })
    },
  )

  const literals = [...Object.values(REFUSED_ADDRESSES).flat(), ...PUBLIC_ADDRESSES]
  test.each(literals)(
    'the address %s, to which node would connect unasked, is refused as a literal',
    async (address) => {
      const url = `https://${address.includes(':') ? `[${address}]` : address}/`
      const { answer } = await sent(url, [])
      expect(answer).toMatchObject({ kind: 'refused_target' })
      expect(counts).toEqual({ sockets: 0, attempts: 0 })
    },
  )
})

describe('a name of an address that is not public', () => {
  const detail =
    'its host name leads to an address that is not public; use a public host, or let the operator allow it (--outbound-allow, on AWS OUTBOUND_ALLOW or PRIVATE_HOSTS)'
  const addresses = Object.entries(REFUSED_ADDRESSES).flatMap(([reason, of]) =>
    of.map((address) => ({ address, what: reason })),
  )
  test.each(addresses)(
    'a name of $address is refused, alone and among good ones: $what',
    async ({ address }) => {
      for (const found of [[address], ['1.1.1.1', address], [address, '2606:4700:4700::1111']]) {
        const { answer, asked } = await sent('https://a.example/', found)
        expect(answer).toEqual({ kind: 'refused_target', detail })
        expect(asked).toEqual(['a.example'])
      }
      expect(counts).toEqual({ sockets: 3, attempts: 0 })
    },
  )
})
