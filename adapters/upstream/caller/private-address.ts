/**
 * Which addresses a host of `privateHosts` may have: those of a network, and public ones. Refused
 * are metadata services (169.254.169.254, fd00:ec2::254), every other link-local address, and
 * addresses of the machine itself, where Lambda's Runtime API listens. Bound by docs/service.md,
 * Outbound safety.
 */
import ipaddr from 'ipaddr.js'
import { LOOPBACK } from '../../../core/settings/form.ts'
import { isPublicAddress } from '../public-address.ts'

/** `carrierGradeNat` (100.64.0.0/10) is a range that AWS gives to VPCs, too. */
const NETWORK_RANGES: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'carrierGradeNat'])
/** Services of AWS inside each VPC: metadata, name server, time. */
const AWS_SERVICES = ipaddr.IPv6.parseCIDR('fd00:ec2::/32')

export function isPrivateHostAddress(address: string): boolean {
  if (isPublicAddress(address)) return true
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return NETWORK_RANGES.has(ipaddr.IPv4.parse(address).range())
  }
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return false
  const parsed = ipaddr.IPv6.parse(address)
  return NETWORK_RANGES.has(parsed.range()) && !parsed.match(AWS_SERVICES)
}

/**
 * Returns the check of the function caller. A host that is listed by a loopback name may have a
 * loopback address, which a stage on AWS refuses to list; no URL leads to the Runtime API.
 * `runtimeApi`: its host and port, undefined outside Lambda.
 */
export function makeListedAddressCheck(runtimeApi: string | undefined) {
  const runtimePort = runtimeApi?.split(':').at(-1)
  return (address: string, { hostname, port, protocol }: URL): boolean => {
    if (isPrivateHostAddress(address)) return true
    if (!LOOPBACK.test(hostname) || !isLoopback(address)) return false
    return (port || (protocol === 'http:' ? '80' : '443')) !== runtimePort
  }
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback'
}
