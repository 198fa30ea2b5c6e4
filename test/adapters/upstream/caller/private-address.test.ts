/** Addresses of a network are allowed to private hosts; those of the machine and AWS's own are not. */
import { describe, expect, test } from 'vitest'
import {
  isPrivateHostAddress,
  makeListedAddressCheck,
} from '../../../../adapters/upstream/caller/private-address.ts'

test.each([
  '10.0.3.7',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  'fd12:3456::1',
  'fdff::1',
  '1.1.1.1',
  '2606:4700:4700::1111',
])('a private host may have the address %s', (address) => {
  expect(isPrivateHostAddress(address)).toBe(true)
})

test.each([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.100.1',
  '169.254.169.253',
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'fd00:ec2::254',
  'fd00:ec2::253',
  'fd00:ec2:0:1::1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '168.63.129.16',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  'ff02::1',
  '10.0.3',
  '0x0a.0.0.1',
  'corp',
  '',
])('no private host may have the address %s', (address) => {
  expect(isPrivateHostAddress(address)).toBe(false)
})

describe('the check of the function caller', () => {
  const check = makeListedAddressCheck('127.0.0.1:9001')

  test('takes loopback from a name of loopback alone, so no DNS answer leads there', () => {
    expect(check('127.0.0.1', new URL('http://127.0.0.1:8443/'))).toBe(true)
    expect(check('::1', new URL('http://localhost:8443/'))).toBe(true)
    expect(check('127.0.0.1', new URL('http://billing.corp.example:8443/'))).toBe(false)
    expect(check('169.254.169.254', new URL('http://localhost:8443/'))).toBe(false)
  })

  test('takes no URL of the Runtime API, from which a request could take events', () => {
    expect(check('127.0.0.1', new URL('http://127.0.0.1:9001/2018-06-01/'))).toBe(false)
    expect(check('::1', new URL('https://localhost:9001/'))).toBe(false)
    const onPort80 = makeListedAddressCheck('127.0.0.1:80')
    expect(onPort80('127.0.0.1', new URL('http://127.0.0.1/'))).toBe(false)
    const onPort443 = makeListedAddressCheck('127.0.0.1:443')
    expect(onPort443('127.0.0.1', new URL('https://127.0.0.1/'))).toBe(false)
  })
})
