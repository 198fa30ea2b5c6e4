import { expect, test } from 'vitest'
import { readKeyStart } from '../../../core/access/api-key.ts'

const KEY = `sgk_Ab-9${'x'.repeat(39)}`

test.each([
  ['a key in its header', 'sgk_Ab-9', `Bearer ${KEY}`],
  ['a key without its scheme', 'sgk_Ab-9', KEY],
  ['a key that was cut', 'sgk_Ab-9', 'Bearer sgk_Ab-9x'],
  ['a sub-key', 'sgs_Ab-9', `Bearer sgs_Ab-9${'x'.repeat(39)}`],
  ['a missing header', undefined, undefined],
  ['a text that would be shown whole', undefined, 'Bearer sgk_Ab-9'],
  ['a password', undefined, 'Basic c2drX0FiLTk6'],
  ['a token of another service', undefined, 'Bearer ghp_sgk_Ab-9xyz'],
  ['a second key', undefined, `Bearer abc ${KEY}`],
])('%s has the start %j', (_what, start, header) => {
  expect(readKeyStart(header)).toBe(start)
})
