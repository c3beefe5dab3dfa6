DROP TABLE judging_calls;

DROP INDEX evaluations_by_final;

DROP INDEX evaluations_of_skill_by_final
