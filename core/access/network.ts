/**
 * The network of a caller's address, by which requests are counted: an IPv4 address, or the first
 * 64 bits of an IPv6 address, because one customer of a provider has at least that many addresses
 * (RFC 6177).
 */

const MAPPED_IPV4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i
const GROUPS = 8
const NETWORK_GROUPS = 4

/** A text that is not an address is returned as it is. */
export function toNetwork(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.toLowerCase().split('::')
  const [before, after] = [splitGroups(head), splitGroups(tail)]
  const missing = address.includes('::') ? GROUPS - before.length - after.length : 0
  const groups = [...before, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...after]
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}

function splitGroups(text: string): readonly string[] {
  return text === '' ? [] : text.split(':')
}
