import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../../adapters/upstream/public-address.ts'
import { PUBLIC_ADDRESSES, REFUSED_ADDRESSES } from '../../core/call/targets.ts'

describe('an address that is not public', () => {
  const addresses = Object.entries(REFUSED_ADDRESSES).flatMap(([reason, of]) =>
    of.map((address) => ({ what: reason, address })),
  )
  test.each(addresses)('the address $address is not public: $what', ({ address }) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each([
    ['nothing', ''],
    ['a name', 'example.com'],
    ['another spelling of 8.8.8.8', '010.8.8.8'],
    ['a short one', '8.8'],
    ['a number', '134744072'],
    ['a zone id behind a public address', '2600:1f18::1%eth0'],
    ['a zone id', 'fe80::1%1'],
    ['brackets', '[2600:1f18::1]'],
    ['a port', '8.8.8.8:443'],
    ['a mask', '8.8.8.8/32'],
    ['white space', ' 8.8.8.8'],
    ['an IPv4 address in dots behind a public prefix', '2600:1f18::8.8.8.8'],
  ])('a text that is no address is not public: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

test.each(PUBLIC_ADDRESSES)('the address %s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

/** What ipaddr.js says of an address: unicast, in what IANA has assigned, and none of the exceptions that are ours. */
function isUnicast(address: string): boolean {
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3'))
}

/** The last address before a range, its first two, its last two, and the first one behind it. */
function borders([base, bits]: Range): readonly string[] {
  const bytes = base.toByteArray()
  const total = bytes.length * 8
  const first = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  const size = 1n << BigInt(total - bits)
  return [first - 1n, first, first + 1n, first + size - 2n, first + size - 1n, first + size]
    .filter((value) => value >= 0n && value < 1n << BigInt(total))
    .map((value) =>
      ipaddr
        .fromByteArray(bytes.map((_, at) => Number((value >> BigInt(total - 8 * (at + 1))) & 255n)))
        .toString(),
    )
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]
type SpecialRanges = { SpecialRanges: Record<string, Range | Range[]> }

function isOne(ranges: Range | Range[]): ranges is Range {
  return typeof ranges[1] === 'number'
}

const RANGES = [ipaddr.IPv4, ipaddr.IPv6].flatMap((kind) =>
  Object.entries((kind.prototype as unknown as SpecialRanges).SpecialRanges).flatMap(
    ([name, ranges]) =>
      (isOne(ranges) ? [ranges] : ranges).map(([base, bits]) => ({
        name,
        text: `${base}/${bits}`,
        range: [base, bits] as Range,
      })),
  ),
)

describe('the ranges of ipaddr.js', () => {
  test('the ranges of ipaddr.js are as many as were compared when this table was made', () => {
    expect(RANGES).toHaveLength(43)
  })

  test.each(RANGES)(
    'an address at the borders of $name, $text, is public where it is unicast',
    ({ range }) => {
      for (const address of borders(range)) {
        expect([address, isPublicAddress(address)]).toEqual([address, isUnicast(address)])
      }
    },
  )

  const isOurs = (address: string) =>
    ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14', '192.80.8.124/32'].some((range) =>
      ipaddr.parse(address).match(ipaddr.parseCIDR(range)),
    )

  test('any IPv4 address is public where it is unicast', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        fc.pre(!isOurs(address))
        expect(isPublicAddress(address)).toBe(isUnicast(address))
      }),
    )
  })

  test('any IPv6 address without an interface id of ISATAP is public where it is unicast', () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 })
    const head = fc.constantFrom(0x20, 0x26, 0x2a, 0x3f, 0xfc, 0xfe, 0xff, 0)
    fc.assert(
      fc.property(head, bytes, (first, rest) => {
        const address = ipaddr.fromByteArray([first, ...rest.subarray(1)]).toString()
        fc.pre(!address.includes(':5efe:'))
        expect([address, isPublicAddress(address)]).toEqual([address, isUnicast(address)])
      }),
    )
  })
})
