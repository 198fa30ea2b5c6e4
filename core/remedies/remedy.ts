/**
 * What an administrator does after a refusal, as a code with its parameters. The words for it are in
 * remedy-words.ts, because a reader of the admin API and one of the command line do different
 * things. Agents get no remedy: they can do none of these. Bound by ADR 0141.
 */

export type Remedy =
  | AccessRemedy
  | UserRemedy
  | SkillRemedy
  | SecretRemedy
  | { readonly code: ListOfUser; readonly uid: string }
  | { readonly code: ListOfGateway }
  | { readonly code: UpstreamStep; readonly upstream: string }

/** Whoever asks needs another credential. */
export type AccessRemedy =
  | { readonly code: 'get_role'; readonly role: string }
  | { readonly code: 'send_credential' }
  | { readonly code: 'send_internal_secret' }
  | { readonly code: 'sign_in' }

export type UserRemedy =
  /** A correction would leave a balance below 0. */
  | { readonly code: 'allow_debt' }
  | { readonly code: 'create_user'; readonly uid?: string }
  | { readonly code: 'find_identity' }
  /** The user was made, but the first grant was not written. `amount` is in credits. */
  | { readonly code: 'grant_initial'; readonly uid: string; readonly amount: string }
  | { readonly code: 'grant_rest'; readonly uid: string }
  | { readonly code: 'unlink_identity'; readonly uid: string; readonly keyId: string }
  | { readonly code: 'end_used_invite'; readonly uid: string }

export type SkillRemedy =
  | { readonly code: 'sync_skill' }
  /** A private skill is found by its owner. */
  | { readonly code: 'name_owner' }

export type SecretRemedy =
  /** `shared`: a secret for all users would do, too. */
  | {
      readonly code: 'set_secret'
      readonly uid: string
      readonly name: string
      readonly skill: string
      readonly shared: boolean
    }
  /** No user is named, and the secret may be one of a user. */
  | { readonly code: 'name_user'; readonly name: string; readonly shared: boolean }
  /** Setting the secret again confirms where it is sent. Without `uid` it is a shared one. */
  | {
      readonly code: 'confirm_secret'
      readonly uid?: string
      readonly name: string
      readonly skill?: string
    }

export type ListOfUser = 'list_keys' | 'list_logins' | 'list_secrets'
export type ListOfGateway =
  | 'list_admin_keys'
  | 'list_failed_events'
  | 'list_guides'
  | 'list_shared_secrets'
  | 'list_skills'
  | 'list_upstreams'
export type UpstreamStep =
  | 'approve_upstream'
  | 'delete_upstream'
  | 'finish_upstream'
  | 'plan_upstream'

/** A remedy as the admin API shows it. `text` has its words for REST; `detail` ends with them. */
export type ShownRemedy = Remedy & { readonly text: string }
