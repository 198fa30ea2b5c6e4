/**
 * The evaluator against examples of AWS's own pages, each named where it is used; where an example has a policy
 * variable, its value is in its place, as on the page's next line.
 */
import { describe, expect, test } from 'vitest'
import { type Authorization, allows } from './evaluate.ts'
import { readStatements } from './policy.ts'

const SCORES = 'arn:aws:dynamodb:us-west-2:123456789012:table/GameScores'
const VARIABLE = ['$', '{www.amazon.com:user_id}'].join('')
const LEADING_KEYS = 'dynamodb:LeadingKeys'
const ATTRIBUTES = 'dynamodb:Attributes'
const SELECT = 'dynamodb:Select'

function asked(action: string, context: Authorization['context'], resource = SCORES) {
  return { action: `dynamodb:${action}`, resource, context }
}

// DynamoDB Developer Guide, "Using IAM policy conditions for fine-grained access control", example 2.
describe('a policy over the partition keys of one user', () => {
  const policy = readStatements([
    {
      Sid: 'FullAccessToUserItems',
      Effect: 'Allow',
      Action: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:PutItem'],
      Resource: [SCORES],
      Condition: { 'ForAllValues:StringEquals': { [LEADING_KEYS]: ['amzn1.ada'] } },
    },
  ])

  test('allows items of that user, one or many', () => {
    expect(allows(policy, asked('GetItem', { [LEADING_KEYS]: ['amzn1.ada'] }))).toBe(true)
    expect(allows(policy, asked('BatchGetItem', { [LEADING_KEYS]: ['amzn1.ada'] }))).toBe(true)
  })

  test('refuses a batch with one item of another user', () => {
    const both = { [LEADING_KEYS]: ['amzn1.ada', 'amzn1.bob'] }
    expect(allows(policy, asked('BatchGetItem', both))).toBe(false)
  })

  test('refuses an action and a table that it does not list', () => {
    const own = { [LEADING_KEYS]: ['amzn1.ada'] }
    expect(allows(policy, asked('DeleteItem', own))).toBe(false)
    expect(allows(policy, asked('Scan', {}))).toBe(false)
    expect(allows(policy, asked('GetItem', own, `${SCORES}2`))).toBe(false)
  })

  // IAM User Guide, "Multivalued context key examples": ForAllValues "also returns true if there are no context
  // keys in the request", which a Null condition with the value false prevents.
  test('allows a request without any key, unless a null check refuses it', () => {
    expect(allows(policy, asked('GetItem', {}))).toBe(true)
    const [first] = policy
    const isThere = { operator: 'Null', key: LEADING_KEYS, values: ['false'] } as const
    const strict = policy.map((one) => ({ ...one, conditions: [...one.conditions, isThere] }))
    expect(first).toBeDefined()
    expect(allows(strict, asked('GetItem', {}))).toBe(false)
    expect(allows(strict, asked('GetItem', { [LEADING_KEYS]: ['amzn1.ada'] }))).toBe(true)
  })
})

// The same page, example 5.
describe('a policy over the attributes of an index', () => {
  const index = `${SCORES}/index/TopScoreDateTimeIndex`
  const policy = readStatements([
    {
      Sid: 'QueryOnlyProjectedIndexAttributes',
      Effect: 'Allow',
      Action: ['dynamodb:Query'],
      Resource: [index],
      Condition: {
        'ForAllValues:StringEquals': {
          [ATTRIBUTES]: ['TopScoreDateTime', 'GameTitle', 'Wins', 'Losses', 'Attempts'],
        },
        StringEquals: { [SELECT]: 'SPECIFIC_ATTRIBUTES' },
      },
    },
  ])
  const wanted = { [ATTRIBUTES]: ['GameTitle', 'Wins'], [SELECT]: ['SPECIFIC_ATTRIBUTES'] }

  test('allows a query of the index for some of them, and none of the table', () => {
    expect(allows(policy, asked('Query', wanted, index))).toBe(true)
    expect(allows(policy, asked('Query', wanted))).toBe(false)
  })

  test.each([
    ['another attribute', { ...wanted, [ATTRIBUTES]: ['GameTitle', 'UserId'] }],
    ['all attributes', { ...wanted, [SELECT]: ['ALL_ATTRIBUTES'] }],
    ['no Select', { [ATTRIBUTES]: ['GameTitle'] }],
  ])('refuses a query with %s', (_, context) => {
    expect(allows(policy, asked('Query', context, index))).toBe(false)
  })
})

// IAM User Guide, "Creating a condition that tests multiple key values (set operations)": the table of the request
// with PostDateTime and UserName against PostDateTime, Message and Tags.
test('all values of a request must match, each by any value of the policy', () => {
  const condition = {
    'ForAllValues:StringLike': { [ATTRIBUTES]: ['PostDateTime', 'Message', 'Tags'] },
  }
  const policy = readStatements([
    { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: SCORES, Condition: condition },
  ])
  const named = (...names: string[]) => asked('GetItem', { [ATTRIBUTES]: names })
  expect(allows(policy, named('PostDateTime', 'Message'))).toBe(true)
  expect(allows(policy, named('PostDateTime', 'UserName'))).toBe(false)
})

// IAM User Guide, "IAM JSON policy elements: Condition operators", String condition operators.
test.each([
  ['home/*', 'home/ada', true],
  ['home/*', 'Home/ada', false],
  ['home/', 'home/ada', false],
  ['h?me/*', 'home/', true],
  ['a.c', 'abc', false],
])('the pattern %s matches %s: %s', (pattern, key, isAllowed) => {
  const condition = { 'ForAllValues:StringLike': { [LEADING_KEYS]: pattern } }
  const policy = readStatements([
    { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: '*', Condition: condition },
  ])
  expect(allows(policy, asked('GetItem', { [LEADING_KEYS]: [key] }))).toBe(isAllowed)
})

// The same page: "If the key that you specify in a policy condition is not present in the request context, the
// values do not match", but for the null check.
test('a key that a request lacks matches nothing but a null check for its absence', () => {
  const policyOf = (Condition: object) =>
    readStatements([
      { Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: SCORES, Condition },
    ])
  const key = 'lambda:InvokedViaFunctionUrl'
  const call = (context: Authorization['context']) => {
    return { action: 'lambda:InvokeFunction', resource: SCORES, context }
  }
  expect(allows(policyOf({ Bool: { [key]: 'true' } }), call({}))).toBe(false)
  expect(allows(policyOf({ Bool: { [key]: 'true' } }), call({ [key]: ['true'] }))).toBe(true)
  expect(allows(policyOf({ Bool: { [key]: 'true' } }), call({ [key]: ['false'] }))).toBe(false)
  expect(allows(policyOf({ Null: { [key]: 'true' } }), call({}))).toBe(true)
})

describe('a request or policy that the model does not know', () => {
  const GOOD = { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: SCORES }
  const keys = { [LEADING_KEYS]: ['a'] }

  test.each([
    ['an operator', { Condition: { 'ForAnyValue:StringLike': keys } }, 'operator ForAnyValue'],
    // Example 3 of the first page.
    [
      'an operator with IfExists',
      { Condition: { StringEqualsIfExists: { [SELECT]: 'COUNT' } } },
      'operator StringEqualsIfExists',
    ],
    [
      'a condition key',
      { Condition: { StringEquals: { 'aws:SourceIp': '1.2.3.4' } } },
      'aws:SourceIp',
    ],
    // "Actions, resources, and condition keys for Amazon DynamoDB": a scan has no leading keys.
    [
      'a condition key of another action',
      { Action: 'dynamodb:Scan', Condition: { 'ForAllValues:StringLike': keys } },
      'dynamodb:LeadingKeys for dynamodb:Scan',
    ],
    ['a list without a set operator', { Condition: { StringLike: keys } }, 'StringLike with dyn'],
    [
      'a set operator for a single value',
      { Condition: { 'ForAllValues:StringEquals': { [SELECT]: 'COUNT' } } },
      'with dynamodb:Select',
    ],
    // Example 1 of the first page.
    [
      'a policy variable',
      { Condition: { 'ForAllValues:StringLike': { [LEADING_KEYS]: VARIABLE } } },
      'policy variable',
    ],
    [
      'a denial with a condition',
      { Effect: 'Deny', Condition: { StringEquals: { [SELECT]: 'COUNT' } } },
      'effect',
    ],
    ['an action', { Action: 'dynamodb:*' }, 'action dynamodb:*'],
    ['an element', { NotAction: 'dynamodb:Scan' }, 'element NotAction'],
    ['a value', { Condition: { Bool: { [SELECT]: true } } }, 'value'],
    ['an unresolved reference', { Resource: { Ref: 'Table' } }, 'value'],
  ])('an unknown part of a policy is an error and never an answer: %s', (_, change, named) => {
    expect(() => readStatements([{ ...GOOD, ...change }])).toThrow(named)
  })

  test('an unknown action or key of a request is an error and never an answer', () => {
    expect(() => allows([], asked('ExecuteStatement', {}))).toThrow('dynamodb:ExecuteStatement')
    expect(() => allows([], asked('Scan', { [LEADING_KEYS]: ['a'] }))).toThrow('has no dynamodb:L')
  })
})
