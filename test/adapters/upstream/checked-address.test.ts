import type { LookupAddress } from 'node:dns'
import { afterEach, describe, expect, test } from 'vitest'
import {
  makeCheckedLookup,
  type Resolve,
  resolveBySystem,
} from '../../../adapters/upstream/checked-address.ts'
import { isPublicAddress } from '../../../adapters/upstream/public-address.ts'
import { dnsDouble, type Zone } from './dns-double.ts'

const running: { close(): unknown }[] = []
afterEach(async () => {
  for (const opened of running.splice(0)) await opened.close()
})

const PUBLIC = '93.184.215.14'
const PUBLIC_6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'

/** The answer to node's `connect`: addresses, or the code of an error. */
function lookedUp(resolve: Resolve, host: string, all = true): Promise<unknown> {
  const lookup = makeCheckedLookup(resolve, isPublicAddress)
  return new Promise((done) => {
    lookup(host, { all }, (cause, address, family) => {
      if (cause !== null) return done(cause.code)
      done(typeof address === 'string' ? [address, family] : address.map((one) => one.address))
    })
  })
}

async function withZone(zone: Zone) {
  const dns = await dnsDouble(zone)
  running.push(dns)
  return { ask: (host: string) => lookedUp(dns.resolve, host), asked: dns.asked }
}

describe('a name', () => {
  test('with only public addresses is answered with all of them', async () => {
    const { ask } = await withZone({ 'a.example': [[PUBLIC, '1.1.1.1', PUBLIC_6]] })
    const answer = await ask('a.example')
    expect(answer).toHaveLength(3)
    expect(answer).toEqual(expect.arrayContaining([PUBLIC, '1.1.1.1', PUBLIC_6]))
  })

  test.each([
    ['one bad address', ['10.0.0.1']],
    ['a good one and a bad one', [PUBLIC, '169.254.169.254']],
    ['a bad one and a good one', ['127.0.0.1', PUBLIC]],
    ['a good one and a bad one of IPv6', [PUBLIC, '::1']],
    ['a good one of IPv6 and a bad one', [PUBLIC_6, '100.100.100.200']],
    ['its bad address mapped into IPv6', ['::ffff:a00:1']],
    ['its bad address behind NAT64', [PUBLIC, '64:ff9b::a9fe:a9fe']],
    ['the metadata of AWS in IPv6', ['fd00:ec2::254']],
    ["Azure's, which looks public", ['168.63.129.16']],
  ])('with %s is refused', async (_, addresses) => {
    const { ask } = await withZone({ 'a.example': [addresses] })
    expect(await ask('a.example')).toBe('ERR_REFUSED_ADDRESS')
  })

  test("that the system cannot resolve gives the system's error and throws nothing", async () => {
    expect(await lookedUp(resolveBySystem, 'nothing.invalid')).toMatch(/^(ENOTFOUND|EAI_\w+)$/)
  })

  test('gives the error as node passes it, without addresses', async () => {
    const failing = ((_host: string, done: (...answer: unknown[]) => void) => {
      done(Object.assign(new Error('no'), { code: 'EAI_AGAIN' }), undefined)
    }) as Resolve
    expect(await lookedUp(failing, 'a.example')).toBe('EAI_AGAIN')
  })

  test('that is public, then private, then public again is refused only the second time', async () => {
    const { ask } = await withZone({ 'a.example': [[PUBLIC], ['127.0.0.1'], [PUBLIC]] })
    expect(await ask('a.example')).toEqual([PUBLIC])
    expect(await ask('a.example')).toBe('ERR_REFUSED_ADDRESS')
    expect(await ask('a.example')).toEqual([PUBLIC])
  })

  test('is resolved each time: with a time to live of 0 nothing is cached', async () => {
    const { ask, asked } = await withZone({ 'a.example': [[PUBLIC]] })
    for (let nth = 0; nth < 3; nth += 1) await ask('a.example')
    expect(asked.filter((question) => question === 'a.example A')).toHaveLength(3)
  })

  test('is judged by the end of its chain of aliases', async () => {
    const { ask } = await withZone({
      'a.example': [{ cname: 'b.example' }],
      'b.example': [{ cname: 'c.example' }],
      'c.example': [[PUBLIC], ['192.168.0.1']],
      'd.example': [{ cname: 'metadata.google.internal' }],
      'metadata.google.internal': [['169.254.169.254']],
    })
    expect(await ask('a.example')).toEqual([PUBLIC])
    expect(await ask('a.example')).toBe('ERR_REFUSED_ADDRESS')
    expect(await ask('d.example')).toBe('ERR_REFUSED_ADDRESS')
  })

  test('that does not exist, or whose aliases form a circle, does not resolve', async () => {
    const { ask } = await withZone({
      'a.example': [{ cname: 'b.example' }],
      'b.example': [{ cname: 'a.example' }],
    })
    expect(await ask('c.example')).toBe('ENOTFOUND')
    expect(await ask('a.example')).toMatch(/^E[A-Z]+$/)
  })
})

describe("the forms of node's request", () => {
  const always =
    (...found: LookupAddress[]): Resolve =>
    (_, done) =>
      done(null, found)

  test('a request that asks for one address gets a checked one', async () => {
    const good = always({ address: PUBLIC, family: 4 }, { address: PUBLIC_6, family: 6 })
    expect(await lookedUp(good, 'a.example', false)).toEqual([PUBLIC, 4])
  })

  test('a request that asks for one address gets none when a later address is refused', async () => {
    const mixed = always({ address: PUBLIC, family: 4 }, { address: '10.0.0.1', family: 4 })
    expect(await lookedUp(mixed, 'a.example', false)).toBe('ERR_REFUSED_ADDRESS')
  })

  test('a name without addresses does not resolve', async () => {
    expect(await lookedUp(always(), 'a.example')).toBe('ENOTFOUND')
  })
})
