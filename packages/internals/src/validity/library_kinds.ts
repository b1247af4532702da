/** Stable codes of the reasons why version 16 cannot read a JSON library, apart from its patterns. */
export type LibraryCode = "non_finite" | "contribution" | "contributing_agent" | "contributions_type" | "metadata_type";

/** A kind of problems, with the effect of each option; null if the option does not help. */
interface LibraryKind {
  text: string;
  nonFiniteNull: string | null;
  nonFiniteText: string | null;
  ids: string | null;
  quarantine: string | null;
}

/** All reasons why version 16 cannot read a JSON library although it can read its patterns. */
export const LIBRARY_KINDS: Readonly<Record<LibraryCode, LibraryKind>> = {
  non_finite: {
    text: "NaN or Infinity outside the patterns",
    nonFiniteNull: "becomes null",
    nonFiniteText: 'becomes text, such as "NaN"',
    ids: null,
    quarantine: null,
  },
  contribution: {
    text: "agent_contributions names an id that cannot be one",
    nonFiniteNull: null,
    nonFiniteText: null,
    ids: "becomes the new id of its pattern; without one, a number becomes its text, and other ids are removed",
    quarantine: "is removed",
  },
  contributing_agent: {
    text: "agent_contributions names an agent that cannot be one",
    nonFiniteNull: null,
    nonFiniteText: null,
    ids: "becomes the new id of the agent",
    quarantine: "is removed with its list",
  },
  contributions_type: {
    text: "agent_contributions has the wrong type",
    nonFiniteNull: null,
    nonFiniteText: null,
    ids: null,
    quarantine: "is emptied; version 16 derives missing contributions from the patterns",
  },
  metadata_type: {
    text: "metadata has the wrong type",
    nonFiniteNull: null,
    nonFiniteText: null,
    ids: null,
    quarantine: "becomes null",
  },
};
