/** Names of functions, and which of them a stage's list has. */
import { describe, expect, test } from 'vitest'
import { isFunctionListed } from '../../../core/json/function-name.ts'
import { isFunctionOrigin, toFunctionOrigin } from '../../../core/skills/lambda-target.ts'

const ARN = 'arn:aws:lambda:eu-west-1:111122223333:function:orders'

describe('the list of a stage', () => {
  test.each([
    [['orders'], 'orders', true],
    [['order*'], 'orders', true],
    [['orders'], 'orders-2', false],
    [['orders*'], 'order', false],
    [[ARN], ARN, true],
    [[`${ARN}*`], `${ARN}-2`, true],
    [[ARN.replace('111122223333', '444455556666')], ARN, false],
    // A name of the own account, and the ARN of an account that may be it.
    [['orders'], ARN, true],
    [[ARN], 'orders', true],
    [[ARN], 'stock', false],
    [[], 'orders', false],
  ])('%j has %s: %s', (listed, name, has) => {
    expect(isFunctionListed(listed, name)).toBe(has)
  })
})

describe('the origin of a function', () => {
  test.each([
    ['orders', 'lambda:orders'],
    [ARN, ARN],
  ])('%s is %s, which a binding of a secret may name', (functionName, origin) => {
    expect(toFunctionOrigin({ functionName })).toBe(origin)
    expect(isFunctionOrigin(origin)).toBe(true)
  })

  test.each(['lambda:', 'lambda:a:b', 'lambda:a b', `${ARN}:live`, 'orders', 'https://a.example'])(
    '%s is none',
    (text) => {
      expect(isFunctionOrigin(text)).toBe(false)
    },
  )
})
