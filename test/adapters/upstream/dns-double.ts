/**
 * A DNS server on 127.0.0.1 with scripted answers: the nth question for a name and a type gets the
 * nth answer, and later questions the last one. Every answer has a time to live of 0.
 */
import { createSocket } from 'node:dgram'
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { Resolve } from '../../../adapters/upstream/checked-address.ts'

/** Addresses, or one name that this name is an alias of. */
export type Turn = readonly string[] | { readonly cname: string }
export type Zone = { readonly [name: string]: readonly Turn[] }

export type DnsDouble = {
  readonly resolve: Resolve
  /** `name type` of each question, in order. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

type Type = 'A' | 'AAAA'
const TYPES: { readonly [code: number]: Type } = { 1: 'A', 28: 'AAAA' }
const CNAME = 5
const IN = 1
const NAME_ERROR = 3

export async function dnsDouble(zone: Zone): Promise<DnsDouble> {
  const asked: string[] = []
  const answerTo = (question: Buffer): Buffer => {
    const { end, name, type } = readQuestion(question)
    const records: Buffer[] = []
    let at = name
    const counted = new Set<string>()
    for (let turn = turnOf(at); turn !== undefined; turn = turnOf(at)) {
      if (counted.has(at)) break
      counted.add(at)
      if (!('cname' in turn)) {
        records.push(...addressesOf(turn, type).map((bytes) => record(at, codeOf(type), bytes)))
        break
      }
      records.push(record(at, CNAME, labels(turn.cname)))
      at = turn.cname
    }
    function turnOf(of: string): Turn | undefined {
      const key = `${of} ${type}`
      asked.push(key)
      const turns = zone[of]
      return turns?.[Math.min(asked.filter((one) => one === key).length, turns.length) - 1]
    }
    return packet(question.subarray(0, end), records, name in zone ? 0 : NAME_ERROR)
  }
  const server = createSocket('udp4')
  server.on('message', (question, { address, port }) => {
    server.send(answerTo(question), port, address)
  })
  await new Promise<void>((ready) => server.bind(0, '127.0.0.1', ready))
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  return {
    resolve: resolveBy(resolver),
    asked,
    close: () => {
      resolver.cancel()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}

/** Asks for both families, as the system's own lookup does. */
function resolveBy(resolver: Resolver): Resolve {
  return (host, done) => {
    const both = [resolver.resolve4(host), resolver.resolve6(host)]
    void Promise.allSettled(both).then(([four, six]) => {
      const found: LookupAddress[] = [
        ...addressesIn(four).map((address) => ({ address, family: 4 })),
        ...addressesIn(six).map((address) => ({ address, family: 6 })),
      ]
      done(found.length === 0 && four?.status === 'rejected' ? four.reason : null, found)
    })
  }
}

function addressesIn(settled: PromiseSettledResult<string[]> | undefined): readonly string[] {
  return settled?.status === 'fulfilled' ? settled.value : []
}

function readQuestion(packet: Buffer): { name: string; type: Type; end: number } {
  const parts: string[] = []
  let at = 12
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    parts.push(packet.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = TYPES[packet.readUInt16BE(at + 1)]
  if (type === undefined) throw new Error('asked for another type than A and AAAA')
  return { name: parts.join('.').toLowerCase(), type, end: at + 5 }
}

/** The question with its header turned into an answer, and the records after it. */
function packet(question: Buffer, records: readonly Buffer[], code: number): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...records])
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(IN, 2)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([labels(name), fixed, data])
}

function labels(name: string): Buffer {
  const parts = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]))
  return Buffer.concat([...parts, Buffer.from([0])])
}

function codeOf(type: Type): number {
  return type === 'A' ? 1 : 28
}

function addressesOf(addresses: readonly string[], type: Type): Buffer[] {
  const ofType = addresses.filter((address) => address.includes(':') === (type === 'AAAA'))
  return ofType.map((address) => (type === 'A' ? fourBytes(address) : sixteenBytes(address)))
}

function fourBytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number))
}

/** Parses hexadecimal groups, with `::` for omitted ones. */
function sixteenBytes(address: string): Buffer {
  const [left = '', right = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const zeros = Array(8 - groups(left).length - groups(right).length).fill('0')
  const all = [...groups(left), ...(address.includes('::') ? zeros : []), ...groups(right)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
