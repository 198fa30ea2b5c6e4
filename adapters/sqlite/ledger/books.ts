/** What changes together when money moves. */
import type { ProfileRows } from '../accounts/profile-rows.ts'
import type { OutcomeRows } from './outcome-rows.ts'

export type Books = { readonly profiles: ProfileRows; readonly outcomes: OutcomeRows }
