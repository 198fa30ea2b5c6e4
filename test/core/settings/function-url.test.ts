import { describe, expect, test } from 'vitest'
import { isFunctionUrl } from '../../../core/settings/function-url.ts'

describe('the address of a function URL', () => {
  test.each([
    ['https://abc123.lambda-url.eu-central-1.on.aws', true],
    ['https://abc123.lambda-url.us-gov-west-1.on.aws', true],
    ['https://mcp.example.com', false],
    ['https://lambda-url.eu-central-1.on.aws', false],
    ['https://abc.lambda-url.eu-central-1.on.aws.example.com', false],
    ['http://127.0.0.1:8787', false],
  ])('%s is recognised as such: %s', (origin, expected) => {
    expect(isFunctionUrl(origin)).toBe(expected)
  })
})
