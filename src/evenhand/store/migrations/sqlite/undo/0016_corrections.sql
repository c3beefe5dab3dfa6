DROP TABLE review_corrections;

DROP TABLE review_works
