import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../../adapters/upstream/public-address.ts'
import { PUBLIC_ADDRESSES, REFUSED_ADDRESSES } from '../../core/request/targets.ts'

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
  ])('a text that is no address is not public: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

test.each(PUBLIC_ADDRESSES)('the address %s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})
