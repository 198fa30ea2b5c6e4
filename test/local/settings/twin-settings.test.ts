import { expect, test } from 'vitest'
import { DEFAULTS } from '../../../local/settings/option-table.ts'
import { twinSettings } from '../../../local/settings/twin-settings.ts'

test('skills may reach this port of this machine by http, and no other, even at port 80', () => {
  const options = { ...DEFAULTS, outboundAllow: ['localhost:3000'] }
  expect(twinSettings(options, 'http://127.0.0.1:8787').outboundAllow).toEqual([
    '127.0.0.1:8787',
    'localhost:3000',
  ])
  expect(twinSettings(DEFAULTS, 'http://[::1]:80').outboundAllow).toEqual(['[::1]:80'])
})

test('the free tier has the calls per minute of the option', () => {
  const { tiers } = twinSettings({ ...DEFAULTS, callsPerMinute: 7 }, 'http://127.0.0.1:1')
  expect(tiers.free.callsPerMinute).toBe(7)
})

test('changed tools are announced, since an open stream costs nothing on this machine', () => {
  expect(twinSettings(DEFAULTS, 'http://127.0.0.1:8787').announceToolChanges).toBe(true)
})
