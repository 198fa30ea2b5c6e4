/**
 * The IP addresses that a skill's upstream may have: those of the public internet. Ranges are by the IANA registries, as
 * ipaddr.js keeps them, with which a test compares each border. Default deny: of IPv6 only what IANA has assigned, and
 * none that embeds an IPv4 address, since no public server needs one. Bound by docs/service.md, Outbound safety.
 */
import { isIPv4, isIPv6 } from 'node:net'

/** Addresses within public ranges that are not public. */
const OF_CLOUDS = [
  // Azure's WireServer, DNS and health probes: learn.microsoft.com, "What is IP address 168.63.129.16?"
  '168.63.129.16/32',
  // IBM Cloud's services and service endpoints: cloud.ibm.com/docs/hardware-firewall-dedicated, "IP ranges"
  '161.26.0.0/16',
  '166.8.0.0/14',
  // Equinix Metal's metadata service: packet.com/developers/docs/servers/key-features/metadata
  '192.80.8.124/32',
]

/** IANA IPv4 Special-Purpose Address Registry, and multicast. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]

/** The part of IPv6 that IANA assigns (RFC 4291 section 2.4 with its registry). */
const GLOBAL_UNICAST = '2000::/3'

/** IANA IPv6 Special-Purpose Address Registry, as far as it lies in that part; 2002::/16 and 2001::/23 embed IPv4. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

/** An address as its numbers: four of 8 bits, or eight of 16. */
type Parts = readonly number[]
type Range = { readonly parts: Parts; readonly bits: number }

const NOT_PUBLIC_IPV4 = [...SPECIAL_IPV4, ...OF_CLOUDS].map((text) => rangeOf(text, ipv4Parts))
const ASSIGNED_IPV6 = rangeOf(GLOBAL_UNICAST, ipv6Parts)
const NOT_PUBLIC_IPV6 = SPECIAL_IPV6.map((text) => rangeOf(text, ipv6Parts))

/** Takes an address as node writes it; false for any other text, a zone id included. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return isPublicIPv4(ipv4Parts(address))
  // Node writes an IPv4 address inside IPv6 with dots.
  if (!isIPv6(address) || /[.%]/.test(address)) return false
  return isPublicIPv6(ipv6Parts(address))
}

function isPublicIPv4(parts: Parts): boolean {
  return !NOT_PUBLIC_IPV4.some((range) => isIn(range, parts, 8))
}

function isPublicIPv6(parts: Parts): boolean {
  return (
    isIn(ASSIGNED_IPV6, parts, 16) &&
    !NOT_PUBLIC_IPV6.some((range) => isIn(range, parts, 16)) &&
    !isIsatap(parts)
  )
}

/**
 * RFC 5214: an interface id of 00-00-5E-FE or 02-00-5E-FE and an IPv4 address, under any prefix.
 */
function isIsatap(parts: Parts): boolean {
  return ((parts[4] ?? 0) & 0xfdff) === 0 && parts[5] === 0x5efe
}

/** `width`: bits of a part. */
function isIn({ bits, parts: base }: Range, parts: Parts, width: number): boolean {
  return base.every((part, at) => {
    const open = Math.min(width, Math.max(0, (at + 1) * width - bits))
    return part >> open === (parts[at] ?? 0) >> open
  })
}

function rangeOf(text: string, partsOf: (address: string) => Parts): Range {
  const [address = '', bits] = text.split('/')
  return { parts: partsOf(address), bits: Number(bits) }
}

function ipv4Parts(address: string): Parts {
  return address.split('.').map(Number)
}

/** Without dots; `::` stands for as many zeros as there is room for. */
function ipv6Parts(address: string): Parts {
  const [head = [], tail = []] = address
    .split('::')
    .map((side) => (side === '' ? [] : side.split(':')))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].map((part) => Number.parseInt(part, 16))
}
