/** A push of a skill with a Lambda function that the gateway has no right to invoke. */
import { expect, test } from 'vitest'
import { validateDefinition } from '../../../../core/flow/registry/validate-skill.ts'
import { makeWorld } from '../world.ts'

const world = makeWorld()

function warningsOf(functionName: string, lambdaUpstreams?: readonly string[]) {
  const { lambdaUpstreams: _, ...settings } = world.settings
  const read = validateDefinition(
    world.ports,
    lambdaUpstreams === undefined ? settings : { ...settings, lambdaUpstreams },
    { text: '', source: 'official', uid: undefined },
    {
      id: 'sg_order',
      meta: {
        name: 'Order',
        description: 'Shows an order.',
        parameters: { type: 'object', properties: {} },
      },
      config: { lambda: { function: functionName } },
      credits_per_call: 1,
    },
  )
  return read.ok ? read.value.warnings : [read.error.detail]
}

test('a function outside the list of the stage is taken with a warning that names the field', () => {
  expect(warningsOf('orders', ['stock-*'])).toEqual([
    '/config/lambda/function: orders is not in lambdaUpstreams of the stage, so the gateway has no right to invoke it, and calls fail; add "orders" there and deploy',
  ])
})

test('a stage without a list has no right to any function', () => {
  expect(warningsOf('orders', [])).toHaveLength(1)
})

test('a function in the list, and any function where no role limits them, gives no warning', () => {
  expect(warningsOf('orders', ['ord*'])).toEqual([])
  expect(warningsOf('orders')).toEqual([])
})
