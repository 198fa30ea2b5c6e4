/** What decides about an address, for people: in dry runs, whose code is loaded late, and ipaddr.js with it. */
import ipaddr from 'ipaddr.js'
import { isPublicAddress } from './public-address.ts'

/** A sentence's end, behind "the address". */
export function addressRule(address: string): string {
  if (isPublicAddress(address)) return 'is public'
  if (!ipaddr.isValid(address)) return 'cannot be read'
  const range = ipaddr.parse(address).range()
  return range === 'unicast'
    ? 'belongs to a cloud provider, or is outside what IANA assigns'
    : `is not public: its range is ${range}`
}
