import { expect, test } from 'vitest'
import { toNetwork } from '../../../core/access/network.ts'

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['2001:db8:0:0:1::', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['1::', '1:0:0:0'],
  ['', ''],
  ['unknown', 'unknown'],
])('the address %j counts as the network %j', (address, network) => {
  expect(toNetwork(address)).toBe(network)
})

test('addresses of one IPv6 network count as one, and those of two networks as two', () => {
  expect(toNetwork('2001:db8:1:2::1')).toBe(toNetwork('2001:db8:1:2:ffff:ffff:ffff:ffff'))
  expect(toNetwork('2001:db8:1:2::1')).not.toBe(toNetwork('2001:db8:1:3::1'))
})
