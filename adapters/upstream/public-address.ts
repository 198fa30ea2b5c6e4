/**
 * Which IP addresses a skill's upstream may have: those of the public internet, by the IANA
 * registries in ipaddr.js. Every address that is not global unicast there is refused, and so is
 * each IPv6 address that embeds an IPv4 address: no public server needs one. Bound by
 * docs/service.md, Outbound safety.
 */
import ipaddr from 'ipaddr.js'

/** Addresses within public ranges that are not public. */
const NOT_PUBLIC = [
  // Azure's WireServer, DNS and health probes: learn.microsoft.com, "What is IP address
  // 168.63.129.16?"
  '168.63.129.16/32',
  // IBM Cloud's services and service endpoints: cloud.ibm.com/docs/hardware-firewall-dedicated, "IP
  // ranges"
  '161.26.0.0/16',
  '166.8.0.0/14',
  // Equinix Metal's metadata service: packet.com/developers/docs/servers/key-features/metadata
  '192.80.8.124/32',
].map((range) => ipaddr.IPv4.parseCIDR(range))

/** The part of IPv6 that IANA assigns (RFC 4291 section 2.4); ipaddr.js has the exceptions. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** `address` in node's form; false for any other text and for an address with a zone id. */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return isPublicIPv4(ipaddr.IPv4.parse(address))
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return false
  return isPublicIPv6(ipaddr.IPv6.parse(address))
}

/** The rule that decided about an address, for people; it continues a sentence "the address …". */
export function describeAddressRule(address: string): string {
  if (isPublicAddress(address)) return 'is public'
  if (!ipaddr.isValid(address)) return 'cannot be read'
  const range = ipaddr.parse(address).range()
  return range === 'unicast'
    ? 'belongs to a cloud provider, or is outside what IANA assigns'
    : `is not public: its range is ${range}`
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !NOT_PUBLIC.some((range) => address.match(range))
}

function isPublicIPv6(address: ipaddr.IPv6): boolean {
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast' && !isIsatap(address)
}

/**
 * RFC 5214: an interface id of 00-00-5E-FE or 02-00-5E-FE and an IPv4 address, under any prefix.
 */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return ((parts[4] ?? 0) & 0xfdff) === 0 && parts[5] === 0x5efe
}
