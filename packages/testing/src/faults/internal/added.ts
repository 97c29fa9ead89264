/** Interfaces for declaration merging with `faults/Fault`. */

/**
 * API groups that extensions add to the fake, by group name.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedGroups {}

/**
 * Client services of these API groups, for the types of generators.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedServices {}
