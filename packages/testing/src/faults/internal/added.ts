/** Interfaces that extensions augment in the module `faults/Fault`. */

/**
 * API groups that extensions add to the fake, keyed by group name.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedGroups {}

/**
 * Client services of the added API groups, for the types of generators.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedServices {}
